import triton
import triton.language as tl
from triton.language.extra import libdevice

atan = libdevice.atan
atan2 = libdevice.atan2


@triton.jit
def erf(x):
    return tl.erf(x)


@triton.jit
def exp(x):
    return tl.exp(x)


@triton.jit
def exp2(x):
    return tl.exp2(x)


@triton.jit
def rsqrt(x):
    return tl.rsqrt(x.to(tl.float32))


@triton.jit
def tanh(x):
    """Near zero a series: what is left after subtracting 1 would be mostly rounding."""
    square = x * x
    series = 0.13333334 - square * (0.05396825 - square * 0.02186949)
    series = x * (1.0 - square * (0.33333334 - square * series))
    return tl.where(tl.abs(x) < 0.3, series, 2.0 * tl.sigmoid(2.0 * x) - 1.0)


@triton.jit
def pow(x, exponent):
    """A negative number has a power with a whole exponent, negative if that is odd."""
    exponent = (exponent + tl.zeros_like(x)).to(tl.float32)
    x = (x + tl.zeros_like(exponent)).to(tl.float32)
    whole = tl.floor(exponent) == exponent
    odd = whole & (tl.floor(exponent * 0.5) * 2.0 != exponent)
    size = tl.exp2(exponent * tl.log2(tl.abs(x)))
    size = tl.where((exponent == 0.0) | (x == 1.0), 1.0, size)
    size = tl.where((x < 0.0) & (whole == 0), float("nan"), size)
    return tl.where((x < 0.0) & odd, -size, size)


@triton.jit
def rint(x):
    """Halves are rounded to the even neighbor."""
    above = tl.floor(x + 0.5)
    odd = tl.floor(above * 0.5) * 2.0 != above
    return tl.where((above - x == 0.5) & odd, above - 1.0, above)


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def finitef(x):
    return tl.abs(x) < float("inf")


@triton.jit
def isfinited(x):
    return tl.abs(x) < float("inf")
