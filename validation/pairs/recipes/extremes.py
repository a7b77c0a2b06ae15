"""Maxima and minima that propagate NaN, as PyTorch's do and Triton's do not.

Recipes write `fmax(a, b)` and `fmin(a, b)` for the larger and the smaller of two values, and
`row_max(values, axis)` and `row_min(values, axis)` along an axis of a block.
"""

from __future__ import annotations

import re

HELPER = '''@triton.jit
def row_{which}(values, axis: tl.constexpr):
    """The {word} along an axis. `tl.{which}` would pass over NaN."""
    has_nan = tl.max((values != values).to(tl.int32), axis=axis) > 0
    return tl.where(has_nan, float("nan"), tl.{which}(values, axis=axis))


'''
WORDS = {"max": "largest", "min": "smallest"}


def spelled_out(source: str) -> str:
    """Replace the recipes' functions by standalone Triton code."""
    while (call := CALL.search(source)) is not None:
        end = _closing(source, call.end())
        arguments = source[call.end() : end].rstrip().removesuffix(",")
        source = (
            f"{source[: call.start()]}tl.{call[1]}imum({arguments}, "
            f"propagate_nan=tl.PropagateNan.ALL{source[end:]}"
        )
    used = [which for which in WORDS if f"row_{which}(" in source]
    helpers = "".join(HELPER.format(which=which, word=WORDS[which]) for which in used)
    start = source.index("@triton.jit") if helpers else 0
    return source[:start] + helpers + source[start:]


CALL = re.compile(r"(?<![.\w])f(max|min)\(")


def _closing(source: str, start: int) -> int:
    depth = 1
    for place in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[place], 0)
        if depth == 0:
            return place
    return len(source)
