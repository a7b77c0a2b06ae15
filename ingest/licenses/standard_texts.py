"""License text of an SPDX identifier, for a repository without a license file."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NAME = re.compile(r"^spdx_license_key: (\S+)$", re.MULTILINE)
_FORMER_NAME = re.compile(r"^    - (\S+)$", re.MULTILINE)
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_OPERATORS = frozenset({"AND", "OR", "WITH"})


def standard_text(expression: str) -> str:
    """Return the standard texts of all licenses that an expression names, as one text."""
    names = dict.fromkeys(_IDENTIFIER.findall(expression))
    texts = (_text_of(name) for name in names if name not in _OPERATORS)
    return "\n\n".join(filter(None, texts))


def _text_of(identifier: str) -> str:
    path = _paths().get(identifier)
    return path.read_text().split("\n---\n", 1)[1].strip() + "\n" if path else ""


@cache
def _paths() -> dict[str, Path]:
    """Return the path of each SPDX identifier's text in scancode's data, with former ids."""
    package = find_spec("licensedcode")
    origin = package.origin if package else None
    assert origin is not None, "we depend on scancode"  # noqa: S101
    paths: dict[str, Path] = {}
    former: dict[str, Path] = {}
    for path in sorted(Path(origin).with_name("data").joinpath("licenses").iterdir()):
        facts, border, _ = path.read_text().removeprefix("---\n").partition("\n---\n")
        if border and "is_deprecated: yes" not in facts:
            paths.update(dict.fromkeys(_NAME.findall(facts), path))
            former.update(dict.fromkeys(_FORMER_NAME.findall(facts), path))
    return former | paths
