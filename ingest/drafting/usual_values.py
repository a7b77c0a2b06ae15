"""Usual values for the parameters of a test that nothing calls, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ingest.drafting.parameter_values import DtypeName

DTYPES = [DtypeName("float16"), DtypeName("float32")]

# A pattern of the whole name, and the values in the first, second and third case. Sizes of a tile
# or a head stay powers of two; numbers of rows and tokens include one that no block divides.
USUAL: Sequence[tuple[str, tuple[Any, ...]]] = [
    (r"dtype|data_?type", (*DTYPES, DtypeName("float16"))),
    (r"B|Z|bs|bsz|batch|batch_?size|num_batches", (2, 3, 1)),
    (r"H|HQ|h|heads|n_?heads|num_?heads|q_?heads|head_?num|num_q_heads", (4, 2, 8)),
    (r"D|K_?DIM|d|dim|head_?dim|head_?size|D_?HEAD|headdim", (64, 32, 128)),
    (r"M|T|S|L|rows|n_?rows|seq_?len|seqlen|sl|n_?ctx|tokens?|num_?tokens|token_num|batch_seq",
     (64, 37, 129)),
    (r"N|C|cols|n_?cols|hidden|hidden_?(size|dim)|features|width", (128, 64, 256)),
    (r"K|in_?features|out_?features|inner", (64, 32, 128)),
    (r"V|vocab|vocab_?size", (128, 257, 512)),
    (r"n|numel|size|n_?elements|length", (1024, 997, 4096)),
    (r"eps|epsilon", (1e-6, 1e-6, 1e-6)),
]  # fmt: skip


def usual_rows(names: Sequence[str]) -> list[tuple[Any, ...]] | None:
    """Return rows of values for these parameters, or None if a name is no usual one."""
    columns = [_values(name) for name in names]
    if not names or any(column is None for column in columns):
        return None
    return list(zip(*(column for column in columns if column is not None), strict=True))


def _values(name: str) -> tuple[Any, ...] | None:
    for exact in (True, False):
        for pattern, values in USUAL:
            if re.fullmatch(pattern, name, 0 if exact else re.I):
                return values
    return None
