"""Options that several recipes share."""

from __future__ import annotations

from collections.abc import Sequence

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.unary import UNARY

DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
# Only for inputs: Triton's interpreter rounds to these types incorrectly.
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
NONE = Chain(())
ONE = (NONE, *chains(UNARY))


def named(*parts: str) -> str:
    return "_".join(filter(None, parts))


def listed(words: Sequence[str], opening: str = "") -> str:
    """Return “a, b and c” after an opening, or nothing if there are no words."""
    if not words:
        return ""
    return opening + " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
