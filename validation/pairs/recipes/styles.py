"""Code styles: names, comments and idioms, which differ between authors.

Templates are written in one style. A style renames free identifiers, in the Triton side only, and
may drop comments. It also determines how kernels are tuned and functions are expanded.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

AUTOTUNE, META, FIXED = "autotune", "meta", "fixed"


@dataclass(frozen=True, slots=True)
class Style:
    """Choices of an author for a complete text."""

    name: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    pointer_suffix: str = "_ptr"
    comments: bool = True
    tuning: str = FIXED
    writes_warps: bool = False
    exact_nan: bool = False
    """Whether maxima and minima propagate NaN, as PyTorch's do."""
    series: str = "inline"
    """Form of tanh, expm1 and log1p: inline, in a helper, or as a series near zero."""
    cache_hints: bool = False
    """Whether loads of several passes have eviction policies."""
    wide_offsets: bool = False
    """Whether offsets are computed in 64 bits."""
    typed: bool = False
    """Whether the PyTorch side has type hints."""
    module: bool = False
    """Whether the PyTorch side is written as an `nn.Module`."""
    number: int = 0
    """Choice among equivalent comments."""


NAMINGS = (
    Style("plain"),
    Style("quiet", comments=False),
    Style(
        "short",
        {"offsets": "offs", "n_elements": "numel", "BLOCK_SIZE": "BLOCK"},
        comments=False,
    ),
    Style(
        "long",
        {
            "pid": "program_id",
            "mask": "in_bounds",
            "n_rows": "num_rows",
            "n_cols": "num_cols",
            "acc": "accumulator",
        },
        "_pointer",
    ),
    Style(
        "tiles",
        {"offsets": "idx", "mask": "valid", "BLOCK_SIZE": "XBLOCK"},
    ),
    Style(
        "numbers",
        {
            "n_elements": "length",
            "n_rows": "row_count",
            "n_cols": "column_count",
            "BLOCK_M": "ROWS_PER_TILE",
            "BLOCK_N": "COLS_PER_TILE",
        },
        "_base",
    ),
)
STYLES = (
    *NAMINGS,
    Style("tuned", tuning=AUTOTUNE, cache_hints=True, wide_offsets=True, typed=True),
    Style("exact", exact_nan=True, series="series", tuning=META, writes_warps=True),
    Style("modular", module=True, series="function", number=1),
)
"""Styles that together have every property."""


def drawn_style(draw: random.Random) -> Style:
    """Return a random style. Each property is as frequent as among authors of Triton."""
    return replace(
        draw.choice(NAMINGS),
        tuning=draw.choices((AUTOTUNE, META, FIXED), (52, 16, 32))[0],
        writes_warps=draw.random() < 0.25,
        exact_nan=draw.random() < 0.15,
        series=draw.choices(("inline", "function", "series"), (53, 42, 5))[0],
        cache_hints=draw.random() < 0.4,
        wide_offsets=draw.random() < 0.2,
        typed=draw.random() < 0.35,
        module=draw.random() < 0.15,
        number=draw.randrange(12),
    )


def styled(source: str, style: Style) -> str:
    """Return the source with the style's names, offsets and comments."""
    if style.wide_offsets:
        source = PROGRAM.sub(r"\1.to(tl.int64)", source)
    if not style.comments:
        source = COMMENT_LINE.sub("", source)
    if style.pointer_suffix != "_ptr":
        source = POINTER.sub(style.pointer_suffix, source)
    if not style.names:
        return source
    words = tuple(name for name in style.names if "_" in name or name.isupper())
    return "".join(
        _free_names(words if TEXT.fullmatch(part) else tuple(style.names)).sub(
            lambda match: style.names[match[0]], part
        )
        for part in TEXT.split(source)
    )


@functools.cache
def _free_names(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for names that may be renamed: no attribute, no word of a sentence, and no
    keyword argument such as `mask=`."""
    ends = (name + (r"(?!\w)" if name.isupper() else r"(?![\w=])") for name in names)
    return re.compile(rf"(?<![\w.`])(?:{'|'.join(ends)})")


# The first program index in a line that computes offsets, but not a loop's bound.
PROGRAM = re.compile(
    r"^( +(?:pid|row|rows|offsets|channel|entry|outer|token|segment|b) = \(?tl\.program_id\(\d\))"
    r"(?=$| \*)",
    re.MULTILINE,
)
# Docstrings and comments, in which `mask` is an ordinary word.
TEXT = re.compile(r'("""[\s\S]*?"""|#.*)')
COMMENT_LINE = re.compile(r"^ *#.*\n", re.MULTILINE)
POINTER = re.compile(r"_ptr\b")
