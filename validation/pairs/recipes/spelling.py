"""Expansion of functions that Triton lacks, or that can be written in several ways.

Recipes use `fmax`, `fmin` and `fclamp` with PyTorch's meaning. They become Triton's, which
propagate NaN if the style is exact. `frow_max` and `frow_min` are the same along an axis.

`ftanh`, `fexpm1` and `flog1p` become an expression, a helper function, or a series near zero.
`fexact_tanh` is always a series.
"""

from __future__ import annotations

import re
from dataclasses import replace

from validation.pairs.recipes.styles import Style

NAN = ", propagate_nan=tl.PropagateNan.ALL"
ELEMENTWISE = {"fmax": "tl.maximum", "fmin": "tl.minimum", "fclamp": "tl.clamp"}
INLINE = {
    "ftanh": "(2.0 * tl.sigmoid(2.0 * {}) - 1.0)",
    "fexpm1": "(tl.exp({}) - 1.0)",
    "flog1p": "tl.log(1.0 + {})",
}
CALL = re.compile(r"(?<![.\w])(fmax|fmin|fclamp|ftanh|fexpm1|flog1p)\(")
HELPER_NAME = re.compile(r"^def (?:tanh|expm1|log1p)\(", re.MULTILINE)
HALF_TANH = re.compile(r"0\.5 \* (\w+) \* \(1\.0 \+ ftanh\((\w+)\)\)")

ROW = '''@triton.jit
def nan_{which}(values, axis: tl.constexpr):
    """Return the {word} along an axis, or NaN if there is one. `tl.{which}` ignores NaN."""
    has_nan = tl.max((values != values).to(tl.int32), axis=axis) > 0
    return tl.where(has_nan, float("nan"), tl.{which}(values, axis=axis))


'''
WORDS = {"max": "largest value", "min": "smallest value"}
FUNCTIONS = {
    "ftanh": '''@triton.jit
def tanh(x):
    """Hyperbolic tangent by the sigmoid, which does not overflow."""
    return 2.0 * tl.sigmoid(2.0 * x) - 1.0


''',
    "fexpm1": '''@triton.jit
def expm1(x):
    """exp(x) - 1; near zero the subtraction cancels digits, an absolute error of about 1e-7."""
    return tl.exp(x) - 1.0


''',
    "flog1p": '''@triton.jit
def log1p(x):
    """log(1 + x); the sum rounds off digits of a small x, an absolute error of about 1e-7."""
    return tl.log(1.0 + x)


''',
}
SERIES = {
    "ftanh": '''@triton.jit
def tanh(x):
    """Hyperbolic tangent; a series keeps the digits that the sigmoid cancels near zero."""
    square = x * x
    series = 0.13333334 - square * (0.05396825 - square * 0.02186949)
    series = x * (1.0 - square * (0.33333334 - square * series))
    return tl.where(tl.abs(x) < 0.3, series, 2.0 * tl.sigmoid(2.0 * x) - 1.0)


''',
    "fexpm1": '''@triton.jit
def expm1(x):
    """exp(x) - 1; a series keeps the digits that the subtraction cancels near zero."""
    series = 0.5 + x * (0.16666667 + x * (0.041666668 + x * 0.008333334))
    series = x * (1.0 + x * series)
    return tl.where(tl.abs(x) < 0.1, series, tl.exp(x) - 1.0)


''',
    "flog1p": '''@triton.jit
def log1p(x):
    """log(1 + x), corrected for the digits of x that adding 1 rounds away."""
    total = 1.0 + x
    return tl.where(total == 1.0, x, tl.log(total) * (x / (total - 1.0)))


''',
}


def spelled_out(source: str, style: Style) -> str:
    """Replace the recipes' functions by Triton code in this style."""
    if "fexact_tanh(" in source:
        # A large factor follows, which would magnify the rounding errors of the short forms.
        source = source.replace("fexact_tanh(", "ftanh(")
        style = replace(style, series="series")
    if style.series == "function" and HELPER_NAME.search(source):
        # The launcher has the same name as a helper function, so use none.
        style = replace(style, series="inline")
    functions = SERIES if style.series == "series" else FUNCTIONS
    helpers = ""
    if style.series == "inline":
        # 0.5 * (1 + tanh(z)) is the sigmoid of 2 z, which authors would write instead.
        source = HALF_TANH.sub(r"\1 * tl.sigmoid(2.0 * \2)", source)
    while (call := CALL.search(source)) is not None:
        end = _closing(source, call.end())
        name, arguments = call[1], source[call.end() : end].rstrip().removesuffix(",")
        if name in ELEMENTWISE:
            nan = NAN if style.exact_nan else ""
            text = f"{ELEMENTWISE[name]}({arguments}{nan})"
        elif style.series == "inline":
            # This form passes its argument to a call, so it needs no parentheses.
            is_apart = name == "fexpm1"
            text = INLINE[name].format(arguments if is_apart else _operand(arguments))
            if _stands_alone(source, call.start(), end + 1):
                text = text.removeprefix("(").removesuffix(")") if text[0] == "(" else text
        else:
            text = f"{name[1:]}({arguments})"
            helpers += functions[name] if functions[name] not in helpers else ""
        source = source[: call.start()] + text + source[end + 1 :]
    for which, word in WORDS.items():
        if style.exact_nan and f"frow_{which}(" in source:
            helpers += ROW.format(which=which, word=word)
        written = f"nan_{which}(" if style.exact_nan else f"tl.{which}("
        source = source.replace(f"frow_{which}(", written)
    return _with_helpers(source, helpers)


def _operand(argument: str) -> str:
    """Return an argument in parentheses, unless it is a name, number or call."""
    is_plain = re.fullmatch(r"[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?", argument)
    return argument if is_plain else f"({argument})"


def _stands_alone(source: str, start: int, end: int) -> bool:
    """Return whether a call is a complete argument or right side, so needs no parentheses."""
    before = source[:start].rstrip(" ")[-1:]
    return before in ("=", "(", ",") and source[end : end + 1] in (",", ")", "\n")


def _with_helpers(source: str, helpers: str) -> str:
    if not helpers:
        return source
    # Insert before the first kernel, or its configurations.
    starts = [source.find(mark) for mark in ("CONFIGS = [", "@triton.jit") if mark in source]
    start = min(starts)
    comment = re.search(r"(?:^#.*\n)+\Z", source[:start], re.MULTILINE)
    start = comment.start() if comment else start
    return source[:start] + helpers + source[start:]


def _closing(source: str, start: int) -> int:
    depth = 1
    for place in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[place], 0)
        if depth == 0:
            return place
    return len(source)
