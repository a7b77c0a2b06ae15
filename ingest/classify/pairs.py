"""Operation type of a drafted pair, from its Python code first and then from its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from curation.kinds.python_side import WEAK, python_operation
from ingest.classify.operation import RULES

ORDER = list(dict.fromkeys(kind for kind, _ in RULES if kind != "other"))
PLAIN = {"reduction", "element-wise"}


def pair_operation(entry_point: str, python_code: str, kernels: Sequence[str]) -> str:
    """Return the operation type. `kernels`: the types of the kernels that the launcher runs."""
    python_type = python_operation(entry_point, python_code) if python_code else None
    if python_type is not None and python_type not in WEAK:
        return python_type
    kernel_types = sorted((kind for kind in kernels if kind in ORDER), key=ORDER.index)
    if kernel_types and kernel_types[0] not in PLAIN:
        return kernel_types[0]
    return python_type or next(iter(kernel_types), "other")
