"""Triton's functions by purpose. Their names are the canonical ones of `reading`."""

from __future__ import annotations

EXPONENTIALS = ("tl.exp", "tl.exp2", "tl.softmax")
MAXIMA = ("tl.max", ".max", "tl.maximum")
SUMS = ("tl.sum", ".sum", "tl.reduce", ".reduce", "tl.welford")
REDUCTIONS = (
    *SUMS,
    *("tl.max", ".max", "tl.min", ".min", "tl.argmax", ".argmax", "tl.argmin", ".argmin"),
    *("tl.xor_sum", "tl.any", "tl.all", "tl.reduce_or"),
)
SCANS = ("tl.cumsum", ".cumsum", "tl.cumprod", ".cumprod", "tl.associative_scan")
SORTS = (
    "tl.sort",
    ".sort",
    "tl.topk",
    ".topk",
    "tl.argsort",
    "tl.sort_with_index",
    "tl.bitonic_merge",
)
