"""Compare the device functions with torch, in Triton's interpreter."""

import torch
import triton
import triton.language as tl
from device_functions import (
    any,
    asinh,
    div_floor_integer,
    expm1,
    isinf,
    isnan,
    log1p,
    max2,
    max_with_index,
    maximum,
    min2,
    min_with_index,
    minimum,
    prod,
    remainder_integer,
    tanh,
    trunc,
)

nan, inf = float("nan"), float("inf")
VALUES = torch.tensor(
    [0.0, 1e-7, -1e-7, 0.05, -0.05, 0.25, -0.29, 0.5, -0.9, 3.0, -7.5, 40.0, -60.0, inf, nan, 2.5]
)


@triton.jit
def one(x, out, F: tl.constexpr):
    at = tl.arange(0, 16)
    value = tl.load(x + at)
    if F == 0:
        value = tanh(value)
    if F == 1:
        value = expm1(value)
    if F == 2:
        value = log1p(value)
    if F == 3:
        value = trunc(value)
    if F == 4:
        value = asinh(value)
    if F == 5:
        value = isnan(value).to(tl.float32)
    if F == 6:
        value = isinf(value).to(tl.float32)
    if F == 7:
        value = maximum(value, 0.25)
    if F == 8:
        value = minimum(value, 0.25)
    tl.store(out + at, value)


@triton.jit
def along(x, out, index, F: tl.constexpr):
    at = tl.arange(0, 16)
    value = tl.load(x + at[None, :])
    places = tl.broadcast_to(at[None, :], [1, 16])
    if F == 0:
        found, place = max2(value, 1), tl.full([1], 0, tl.int32)
    if F == 1:
        found, place = min2(value, 1), tl.full([1], 0, tl.int32)
    if F == 2:
        found, place = max_with_index(value, places, 1)
    if F == 3:
        found, place = min_with_index(value, places, 1)
    if F == 4:
        found, place = prod(value, 1), tl.full([1], 0, tl.int32)
    if F == 5:
        found, place = any(value > 2.9, 1).to(tl.float32), tl.full([1], 0, tl.int32)
    tl.store(out + tl.arange(0, 1), found)
    tl.store(index + tl.arange(0, 1), place)


@triton.jit
def whole(x, y, out, F: tl.constexpr):
    at = tl.arange(0, 4)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, div_floor_integer(a, b) if F == 0 else remainder_integer(a, b))


def close(actual, expected, what):
    fine = torch.allclose(actual, expected, rtol=2e-6, atol=1e-9, equal_nan=True)
    assert fine, (what, actual, expected)


wanted = [
    torch.tanh,
    torch.expm1,
    torch.log1p,
    torch.trunc,
    torch.asinh,
    lambda v: v.isnan().float(),
    lambda v: v.isinf().float(),
    lambda v: torch.maximum(v, torch.tensor(0.25)),
    lambda v: torch.minimum(v, torch.tensor(0.25)),
]
for number, function in enumerate(wanted):
    values = VALUES.abs() if number == 2 else VALUES
    out = torch.empty(16)
    one[(1,)](values, out, number)
    close(out, function(values), number)

for values in (VALUES, VALUES.nan_to_num(1.0, 9.0), torch.ones(16)):
    wanted = [
        values.max(),
        values.min(),
        values.max(),
        values.min(),
        values.prod(),
        (values > 2.9).any().float(),
    ]
    places = [0, 0, values.argmax(), values.argmin(), 0, 0]
    for number, expected in enumerate(wanted):
        out, index = torch.empty(1), torch.empty(1, dtype=torch.int32)
        along[(1,)](values, out, index, number)
        close(out[0], expected, ("along", number))
        assert index.item() == int(places[number]), (number, index, places[number])

a, b = torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])
for number, function in enumerate((torch.floor_divide, torch.remainder)):
    out = torch.empty(4, dtype=torch.int64)
    whole[(1,)](a, b, out, number)
    assert torch.equal(out, function(a, b)), (number, out)
