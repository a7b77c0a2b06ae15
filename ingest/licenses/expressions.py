"""SPDX expressions: normalised, combined and taken apart; what is no valid SPDX is None."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from license_expression import LicenseWithExceptionSymbol, get_license_index, get_spdx_licensing

# The database column of an expression; nobody writes longer ones by hand.
LONGEST_EXPRESSION = 300
LONGEST_READ = 1_000
_NOT_LICENSES = {"NONE", "NOASSERTION"}


@lru_cache(maxsize=4096)
def normalise(text: str) -> str | None:
    """The canonical form of a valid expression (ids of scancode's own list are valid)."""
    parsed = parse(text)
    if parsed is None:
        return None
    rendered = str(parsed.render())
    return rendered if len(rendered) <= LONGEST_EXPRESSION else None


@lru_cache(maxsize=4096)
def parse(text: str) -> Any:
    """The syntax tree of a valid expression, or None."""
    if not text.strip() or len(text) > LONGEST_READ:
        return None
    licensing = _licensing()
    try:
        parsed = licensing.parse(text, simple=False)
        unknown = licensing.unknown_license_keys(parsed)
        simple = parsed.simplify()
    except Exception:  # noqa: BLE001 - a hostile text may make the parser fail in any way
        return None
    # A LicenseRef- is valid SPDX, whoever coined it; the policy says what it thinks of it.
    if any(not key.startswith("LicenseRef-") for key in unknown):
        return None
    return simple


def both(expressions: Iterable[str]) -> str | None:
    """All of them at once: AND, without repetitions; None when it can't be written."""
    return _joined(expressions, " AND ")


def either(expressions: Iterable[str]) -> str | None:
    """Any of them, as one chooses: OR."""
    return _joined(expressions, " OR ")


@lru_cache(maxsize=4096)
def covers(wider: str, narrower: str) -> bool:
    """Whether `wider` already says all that `narrower` does: their AND adds nothing to it."""
    return both((wider, narrower)) in {normalise(wider), normalise(narrower)} and (
        keys(narrower) <= keys(wider)
    )


@lru_cache(maxsize=4096)
def keys(expression: str) -> frozenset[str]:
    """The licence ids in an expression, exceptions aside."""
    parsed = parse(expression)
    if parsed is None:
        return frozenset()
    return frozenset(
        (s.license_symbol if isinstance(s, LicenseWithExceptionSymbol) else s).key
        for s in parsed.symbols
    )


@lru_cache(maxsize=1)
def categories() -> dict[str, str]:
    """Scancode's category (Permissive, Copyleft, …) of each licence id it knows."""
    return {
        key: entry["category"]
        for entry in get_license_index()
        for key in (entry.get("spdx_license_key"), *entry.get("other_spdx_license_keys", ()))
        if key
    }


@lru_cache(maxsize=1)
def _licensing() -> Any:
    """Building it takes 35 ms, a thousand times what parsing with it takes."""
    return get_spdx_licensing()


def _joined(expressions: Iterable[str], operator: str) -> str | None:
    parts = list(dict.fromkeys(expressions))
    return normalise(operator.join(f"({part})" for part in parts)) if parts else None
