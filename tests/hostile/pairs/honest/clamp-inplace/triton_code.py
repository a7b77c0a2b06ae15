import triton
import triton.language as tl


@triton.jit
def _scale_clamp(x_ptr, scale, limit, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.minimum(tl.maximum(x * scale, -limit), limit)
    tl.store(x_ptr + offs, y, mask=mask)


def scale_clamp_(x, scale, limit):
    n = x.numel()
    _scale_clamp[(triton.cdiv(n, 1024),)](x, scale, limit, n, BLOCK=1024)
    return x
