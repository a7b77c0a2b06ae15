"""Arrays as the judge gets them: bytes, and what a process says about them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from validation.harness.judge.answers import Value
from validation.harness.judge.numbers import Numbers


def numbers_of(values: Any, dtype: str = "float32") -> Numbers:
    """`values` at a type that NumPy knows, or as bfloat16, cut and not rounded."""
    if dtype == "bfloat16":
        words = np.asarray(values, np.float32).view(np.uint32) >> 16
        array: Any = words.astype(np.uint16)
    else:
        array = np.asarray(values, np.dtype(dtype))
    return Numbers(dtype, np.shape(values), memoryview(array.tobytes()))


def value_of(
    *leaves: Any,
    gradients: Sequence[Numbers | None] = (),
    aliases: Sequence[bool] = (),
) -> Value:
    kinds = ["tensor" if isinstance(leaf, Numbers) else type(leaf).__name__ for leaf in leaves]
    form = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
    return Value(tuple(leaves), form, tuple(gradients), tuple(aliases) or (False,) * len(leaves))
