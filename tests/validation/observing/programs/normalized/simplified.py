import torch
import triton
import triton.language as tl


def contiguous(function):
    """Call a function with contiguous tensors."""

    def wrapper(*args):
        return function(*(x.contiguous() if isinstance(x, torch.Tensor) else x for x in args))

    return wrapper


@triton.jit
def _norm_kernel(x_ptr, target_ptr, weight_ptr, out_ptr, size, eps, offset, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < size
    x = tl.load(x_ptr + tl.program_id(0) * size + columns, mask=mask, other=0.0)
    target = tl.load(target_ptr + tl.program_id(0) * size + columns, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0)
    normed = x * tl.rsqrt(tl.sum(x * x, axis=0) / size + eps)
    loss = normed * (weight + offset) - 2 * target
    tl.store(out_ptr + tl.program_id(0) * size + columns, loss * loss + 1, mask=mask)


# Layer of the library.
@contiguous
def normalized(x, target, weight, offset):
    """Divide each row by its root mean square, and return its distance to a target."""
    # Rows are independent.
    rows, size = x.shape
    block = triton.next_power_of_2(size)
    y = torch.empty_like(x)
    _norm_kernel[(rows,)](x, target, weight, y, size, 1e-06, offset, BLOCK=block)
    return y
