import triton
import triton.language as tl


@triton.jit
def get_dtype_max(dtype: tl.constexpr):
    """Return a value that is not below any other of this type."""
    if dtype.is_floating():
        return float("inf")
    elif dtype.is_int_signed():
        return 2 ** (dtype.primitive_bitwidth - 1) - 1
    else:
        return 2**dtype.primitive_bitwidth - 1


@triton.jit
def get_dtype_min(dtype: tl.constexpr):
    """Return a value that is not above any other of this type."""
    if dtype.is_floating():
        return float("-inf")
    elif dtype.is_int_signed():
        return -(2 ** (dtype.primitive_bitwidth - 1))
    else:
        return 0
