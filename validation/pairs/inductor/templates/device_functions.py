"""What Inductor's kernels call and plain Triton has no name for. A pair gets those that it uses."""

import triton
import triton.language as tl


@triton.jit
def maximum(a, b):
    """The larger of two; NaN where one is NaN."""
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def minimum(a, b):
    """The smaller of two; NaN where one is NaN."""
    return tl.where((a < b) | (a != a), a, b)


@triton.jit
def max2(values, axis):
    """The largest along an axis; NaN where one is NaN, which `tl.max` passes over."""
    nan = tl.sum(tl.where(values != values, values, 0), axis)
    return tl.max(values, axis) + nan


@triton.jit
def min2(values, axis):
    """The smallest along an axis; NaN where one is NaN, which `tl.min` passes over."""
    nan = tl.sum(tl.where(values != values, values, 0), axis)
    return tl.min(values, axis) + nan


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def prod(values, axis):
    return tl.reduce(values, axis, _product)


@triton.jit
def any(values, axis):
    return tl.max(values.to(tl.int32), axis) > 0


@triton.jit
def _larger(value, index, other, other_index):
    """Of equal ones the first; NaN is larger than all."""
    nan, other_nan = value != value, other != other
    equal = (value == other) | (nan & other_nan)
    wins = (value > other) | (nan & (other_nan == 0)) | (equal & (index < other_index))
    return tl.where(wins, value, other), tl.where(wins, index, other_index)


@triton.jit
def max_with_index(values, indices, axis):
    return tl.reduce((values, indices), axis, _larger)


@triton.jit
def _smaller(value, index, other, other_index):
    """Of equal ones the first; NaN is smaller than all."""
    nan, other_nan = value != value, other != other
    equal = (value == other) | (nan & other_nan)
    wins = (value < other) | (nan & (other_nan == 0)) | (equal & (index < other_index))
    return tl.where(wins, value, other), tl.where(wins, index, other_index)


@triton.jit
def min_with_index(values, indices, axis):
    return tl.reduce((values, indices), axis, _smaller)


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    """One more value each: its mean and the sum of squared differences from it."""
    weight = weight + 1
    delta = value - mean
    mean = mean + delta / weight
    return mean, m2 + delta * (value - mean), weight


@triton.jit
def welford(mean, m2, weight, axis):
    """Means and sums of squared differences of parts, brought together along an axis.

    By sums, instead of a reduction by a function of its own.
    """
    whole = tl.sum(weight, axis)
    share = weight / tl.expand_dims(whole, axis)
    centre = tl.sum(mean * share, axis)
    delta = mean - tl.expand_dims(centre, axis)
    return centre, tl.sum(m2 + delta * delta * weight, axis), whole


@triton.jit
def promote_to_tensor(value):
    return value + tl.zeros((1,), tl.int1)


@triton.jit
def div_floor_integer(a, b):
    """Division rounds towards zero on a GPU, and down in Python."""
    quotient = a // b
    return tl.where((a % b != 0) & ((a < 0) != (b < 0)), quotient - 1, quotient)


@triton.jit
def remainder_integer(a, b):
    """The remainder has the sign of the divisor, as in Python."""
    remainder = a % b
    return tl.where((remainder != 0) & ((a < 0) != (b < 0)), remainder + b, remainder)


@triton.jit
def tanh(x):
    """Near zero a series: what is left after subtracting 1 would be mostly rounding."""
    square = x * x
    series = 0.13333334 - square * (0.05396825 - square * 0.02186949)
    series = x * (1.0 - square * (0.33333334 - square * series))
    return tl.where(tl.abs(x) < 0.3, series, 2.0 * tl.sigmoid(2.0 * x) - 1.0)


@triton.jit
def expm1(x):
    """Near zero a series: what is left after subtracting 1 would be mostly rounding."""
    series = 0.16666667 + x * (0.041666668 + x * 0.008333334)
    series = x * (1.0 + x * (0.5 + x * series))
    return tl.where(tl.abs(x) < 0.1, series, tl.exp(x) - 1.0)


@triton.jit
def log1p(x):
    """Near zero a series: adding 1 would round away most of it."""
    series = 0.25 - x * (0.2 - x * (0.16666667 - x * 0.14285715))
    series = x * (1.0 - x * (0.5 - x * (0.33333334 - x * series)))
    return tl.where(tl.abs(x) < 0.1, series, tl.log(1.0 + x))


@triton.jit
def asinh(x):
    """Near zero a series: the logarithm of almost 1 would be mostly rounding."""
    extent = tl.abs(x)
    square = extent * extent
    series = 0.075 - square * (0.044642857 - square * 0.030381944)
    series = extent * (1.0 - square * (0.16666667 - square * series))
    grown = tl.where(extent < 0.2, series, tl.log(extent + tl.sqrt(square + 1.0)))
    return tl.where(x < 0.0, -grown, grown)


@triton.jit
def trunc(x):
    return tl.where(x < 0.0, tl.ceil(x), tl.floor(x))


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")
