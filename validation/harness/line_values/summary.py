"""Summaries of values in Triton's interpreter: type, shape, extremes and the first elements."""

from typing import Any

import numpy as np
import torch
import triton.language as tl

FIRST = 6
# Types whose values the interpreter stores as integers with the same bits.
PATTERNS = {
    "bf16": torch.bfloat16, "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn,
}  # fmt: skip


def summary(value: Any) -> str:
    """Return a description of a tensor or number, or an empty text for any other value."""
    if isinstance(value, tuple | list | tl.tuple):
        return "; ".join(filter(None, map(summary, value)))
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, bool | int | float):
        return f"{type(value).__name__} {_number(value)}"
    data = getattr(getattr(value, "handle", None), "data", None)
    if not isinstance(value, tl.tensor) or not isinstance(data, np.ndarray):
        return ""
    dtype, shape = value.dtype.scalar, [int(size) for size in value.shape]
    words = f"{dtype}{shape or ''}"
    if dtype.is_ptr():
        # Show no values of pointers: addresses differ from run to run.
        return words
    if str(dtype) in PATTERNS:
        bits = torch.from_numpy(np.ascontiguousarray(data))
        data = bits.view(PATTERNS[str(dtype)]).double().numpy()
    flat = data.reshape(-1)
    finite = flat[np.isfinite(flat)]
    if flat.size > 1 and finite.size:
        words += f" from {_number(finite.min())} to {_number(finite.max())}:"
    more = [] if flat.size <= FIRST else ["…"]
    words += f" {', '.join([*map(_number, flat[:FIRST].tolist()), *more])}"
    not_finite = flat.size - finite.size
    return f"{words}, {not_finite} not finite" if not_finite else words


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
