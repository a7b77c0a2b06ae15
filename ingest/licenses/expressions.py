"""SPDX expressions: normalization, combination and parsing. An invalid expression gives None."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from license_expression import LicenseWithExceptionSymbol, get_license_index, get_spdx_licensing

# Maximum characters of an expression: the size of its database column. Real ones are shorter.
LONGEST_EXPRESSION = 300
LONGEST_READ = 1_000


@lru_cache(maxsize=4096)
def normalize(text: str) -> str | None:
    """Return the canonical form of a valid expression. The ids of scancode's list are valid."""
    parsed = parse(text)
    if parsed is None:
        return None
    rendered = str(parsed.render())
    return rendered if len(rendered) <= LONGEST_EXPRESSION else None


@lru_cache(maxsize=4096)
def parse(text: str) -> Any:
    """Return the syntax tree of a valid expression, or None."""
    if not text.strip() or len(text) > LONGEST_READ:
        return None
    licensing = _licensing()
    try:
        parsed = licensing.parse(text, simple=False)
        unknown = licensing.unknown_license_keys(parsed)
        simple = parsed.simplify()
    except Exception:  # noqa: BLE001 - a hostile text may make the parser fail in any way
        return None
    # Any LicenseRef- id is valid SPDX. The policy decides about the license.
    if any(not key.startswith("LicenseRef-") for key in unknown):
        return None
    return simple


def both(expressions: Iterable[str]) -> str | None:
    """Combine expressions by AND, without repetitions. Return None if that can't be written."""
    return _joined(expressions, " AND ")


def either(expressions: Iterable[str]) -> str | None:
    """Combine expressions by OR."""
    return _joined(expressions, " OR ")


@lru_cache(maxsize=4096)
def covers(wider: str, narrower: str) -> bool:
    """Return whether `wider` includes all terms of `narrower`."""
    return both((wider, narrower)) in {normalize(wider), normalize(narrower)} and (
        keys(narrower) <= keys(wider)
    )


@lru_cache(maxsize=4096)
def keys(expression: str) -> frozenset[str]:
    """Return the license ids in an expression, without the ids of exceptions (after WITH)."""
    tree = parse(expression)
    if tree is None:
        return frozenset()
    return frozenset(
        (s.license_symbol if isinstance(s, LicenseWithExceptionSymbol) else s).key
        for s in tree.symbols
    )


@lru_cache(maxsize=1)
def categories() -> dict[str, str]:
    """Return scancode's category (Permissive, Copyleft, …) of each license id that it knows."""
    return {
        key: entry["category"]
        for entry in get_license_index()
        for key in (entry.get("spdx_license_key"), *entry.get("other_spdx_license_keys", ()))
        if key
    }


@lru_cache(maxsize=1)
def _licensing() -> Any:
    """Return the parser. Creating it takes 35 ms, a thousand times as long as one parse."""
    return get_spdx_licensing()


def _joined(expressions: Iterable[str], operator: str) -> str | None:
    parts = list(dict.fromkeys(expressions))
    return normalize(operator.join(f"({part})" for part in parts)) if parts else None
