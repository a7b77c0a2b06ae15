import enum
import functools
import logging
import traceback
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
import triton
import triton.language as tl

logger = logging.getLogger(__name__)


class Size(enum.IntEnum):
    SMALL = 256
    LARGE = 1024


class Tiling(NamedTuple):
    block: int = Size.LARGE
    warps: int = 4


@dataclass(frozen=True, slots=True)
class Plan:
    elements: int
    tiling: Tiling = field(default_factory=Tiling)

    @property
    def grid(self):
        return (triton.cdiv(self.elements, self.tiling.block),)


Bounds = namedtuple("Bounds", ["small"], defaults=[Size.LARGE])


@triton.jit
def leaky_relu_kernel(x_ptr, out_ptr, n, slope, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    out = tl.where(x > 0, x, x * slope)
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=mask)


@functools.singledispatch
def planned(elements):
    raise TypeError(f"{elements!r} is no number of elements")


@planned.register
def _(elements: int):
    if elements < Bounds().small:
        return Plan(elements, Tiling(Size.SMALL, warps=1))
    return Plan(elements)


def said():
    """What there is to say of the way without a kernel."""
    try:
        planned("none")
    except TypeError:
        return traceback.format_exc(limit=1)
    return ""


def leaky_relu(x, slope=0.01):
    import colorsys  # not there until now

    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    if not x.numel():
        logger.warning("nothing to do: %s", said())
        return out
    plan = planned(x.numel())
    leaky_relu_kernel[plan.grid](
        x.contiguous(), out, plan.elements, slope,
        BLOCK=int(plan.tiling.block), num_warps=plan.tiling.warps,
    )  # fmt: skip
    return out
