"""Conversions to narrow floats. Triton's interpreter truncates, and loses carries and NaN."""

from typing import Any

import numpy as np
import torch
from triton.runtime import interpreter

KINDS = {"fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
NAN_BITS = 0x7F


def patch_conversions() -> None:
    """Convert as Hopper does: to the nearest, ties to even; larger values saturate, NaN stays."""
    owner: Any = interpreter
    original, bits = owner._convert_float, torch.arange(256, dtype=torch.uint8)
    tables = {name: bits.view(kind).float().numpy() for name, kind in KINDS.items()}
    # Half-way points between neighbors. The number of those below a value is its bits.
    ties = {name: _ties(table[:NAN_BITS]) for name, table in tables.items()}

    def converted(data: Any, source: Any, target: Any, rounding: Any) -> Any:
        name = target.name
        if source.name in tables and name not in tables:
            wide = tables[source.name][data].reshape(data.shape)
            if name == "bf16":
                return (wide.view(np.uint32) >> 16).astype(np.uint16)
            return wide.astype(f"float{target.primitive_bitwidth}")
        if name == "bf16" and source.name == "fp32":
            bits = data.view(np.uint32)
            near = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
            return np.where(np.isnan(data), 0x7FC0, near).astype(np.uint16)
        if name not in tables or rounding == owner._ir.ROUNDING_MODE.RTZ:
            return original(data, source, target, rounding)
        wide = (data.astype(np.uint32) << 16).view(np.float32) if source.name == "bf16" else data
        low, high = (ties[name].searchsorted(np.abs(wide), side) for side in ("left", "right"))
        near = np.where(np.isnan(wide), NAN_BITS, np.where(low % 2, high, low))
        return (near | np.signbit(wide) * 128).astype(np.uint8)

    owner._convert_float = converted


def _ties(table: Any) -> Any:
    finite = table[np.isfinite(table)]
    return (finite[:-1] + finite[1:]) / 2
