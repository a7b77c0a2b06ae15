"""Styles of code: names and comments differ between authors.

Templates are written in one style. A style renames free identifiers, in the Triton side only,
and may drop the comments.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Style:
    name: str
    names: Mapping[str, str] = field(default_factory=dict)
    pointer_suffix: str = "_ptr"
    comments: bool = True


STYLES = (
    Style("plain"),
    Style("quiet", comments=False),
    Style(
        "short",
        {"offsets": "offs", "n_elements": "numel", "BLOCK_SIZE": "BLOCK", "acc": "total"},
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
        {"offsets": "idx", "mask": "valid", "BLOCK_SIZE": "XBLOCK", "pid": "block_id"},
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


def styled(source: str, style: Style) -> str:
    if not style.comments:
        source = COMMENT_LINE.sub("", source)
    if style.pointer_suffix != "_ptr":
        source = POINTER.sub(style.pointer_suffix, source)
    if not style.names:
        return source
    return _free_names(tuple(style.names)).sub(lambda found: style.names[found[0]], source)


@functools.cache
def _free_names(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for free names: no attribute, no word of a sentence, no `mask=` of
    `tl.load`."""
    ends = (name + (r"(?!\w)" if name.isupper() else r"(?![\w=])") for name in names)
    return re.compile(rf"(?<![\w.`])(?:{'|'.join(ends)})")


COMMENT_LINE = re.compile(r"^ *#.*\n", re.MULTILINE)
POINTER = re.compile(r"_ptr\b")
