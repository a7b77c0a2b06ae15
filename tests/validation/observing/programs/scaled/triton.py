import torch
import triton
import triton.language as tl

DEBUG = False
BLOCK = 128


@triton.jit
def _shift(value, bias_ptr, offsets, mask, HAS_BIAS: tl.constexpr):
    if bias_ptr is not None:
        bias_ptr += tl.program_id(0) * 0
    if HAS_BIAS:
        value += tl.load(bias_ptr + offsets, mask=mask)
    return value


@triton.heuristics({"HAS_BIAS": lambda args: args["bias_ptr"] is not None})
@triton.jit
def _scale_kernel(
    x_ptr,
    out_ptr,
    bias_ptr,  # the bias, or None
    factor,
    n,
    MODE: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(x_ptr + offsets, mask=mask)
    value = _shift(value, bias_ptr, offsets, mask, HAS_BIAS)
    if MODE == "multiply":
        value *= factor
    elif MODE == "add":
        value += factor
    tl.store(out_ptr + offsets, value, mask=mask)


@triton.jit
def _scale_large_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) * factor, mask=offsets < n)


@triton.jit
def _scale_quantized_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr))


def _checked(out):
    assert out.isfinite().all()
    return out


def launch_scale(x, factor, bias=None, quantize=False):
    if quantize is not None and quantize:
        out = torch.empty_like(x, dtype=torch.int8)
        _scale_quantized_kernel[(1,)](x, out)
        return out
    if x.stride(-1) != 1:
        x = x.contiguous()
    out = torch.empty_like(x)
    cleared = out.zero_()
    unused = x.numel() + 1
    n = x.numel()
    if n > 1 << 30:
        _scale_large_kernel[(triton.cdiv(n, 1024),)](x, out, factor, n, BLOCK=1024)
        return out
    if factor == 0:
        return out
    _scale_kernel[(triton.cdiv(n, BLOCK),)](x, out, bias, factor, n, "multiply", BLOCK=BLOCK)
    return out


def scaled(x, factor):
    """Multiply by a factor."""
    if DEBUG:
        print(x.shape)
    if not DEBUG:
        return launch_scale(x, factor)
    return _checked(launch_scale(x, factor))
