"""Options that several recipes share."""

from __future__ import annotations

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
