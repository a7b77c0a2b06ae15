import triton
import triton.language as tl


@triton.jit
def div_rn(x, y):
    """Divide and round to the nearest number."""
    return tl.div_rn(tl.to_tensor(x).to(tl.float32), tl.to_tensor(y).to(tl.float32))


@triton.jit
def div_rz(x, y):
    """Divide and round toward zero."""
    exact = tl.to_tensor(x).to(tl.float64) / tl.to_tensor(y).to(tl.float64)
    rounded = exact.to(tl.float32)
    below = (rounded.to(tl.int32, bitcast=True) - 1).to(tl.float32, bitcast=True)
    return tl.where(tl.abs(rounded.to(tl.float64)) > tl.abs(exact), below, rounded)


@triton.jit
def trunc(x):
    return tl.where(x < 0, tl.ceil(x), tl.floor(x))


@triton.jit
def fmod(x, y):
    """Return the remainder, which has the sign of x. In double precision it is exact."""
    x = tl.to_tensor(x).to(tl.float64)
    y = tl.to_tensor(y).to(tl.float64)
    return (x - y * trunc(x / y)).to(tl.float32)
