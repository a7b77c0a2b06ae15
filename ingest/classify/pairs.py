"""The operation type of a drafted pair: by its python side first, then by its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from curation.kinds.python_side import WEAK, python_operation
from ingest.classify.operation import RULES

ORDER = list(dict.fromkeys(kind for kind, _ in RULES if kind != "other"))
PLAIN = {"reduction", "element-wise"}


def pair_operation(entry_point: str, python_code: str, kernels: Sequence[str]) -> str:
    """`kernels`: the operation types of the kernels that the launcher leads to."""
    asked = python_operation(entry_point, python_code) if python_code else None
    if asked is not None and asked not in WEAK:
        return asked
    known = sorted((kind for kind in kernels if kind in ORDER), key=ORDER.index)
    if known and known[0] not in PLAIN:
        return known[0]
    return asked or next(iter(known), "other")
