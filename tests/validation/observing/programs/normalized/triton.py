import torch
import torch.nn as nn
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


def norm_forward(x, target, weight, eps, offset, in_place):
    """Launch one program for each row.

    Returns the result and its rows.
    """
    # Rows are independent.
    rows, size = x.shape
    block = triton.next_power_of_2(size)
    result = torch.empty_like(x)
    _norm_kernel[(rows,)](x, target, weight, result, size, eps, offset, BLOCK=block)
    return result, rows


class NormFunction(torch.autograd.Function):
    """Autograd of the norm."""

    @staticmethod
    @contiguous
    def forward(ctx, x, target, weight, eps, offset, in_place=True):
        y, rows = norm_forward(x, target, weight, eps, offset, in_place)
        ctx.rows = rows
        if weight is not None:
            ctx.save_for_backward(x, weight)
        else:
            ctx.save_for_backward(x)
        return y


# Layer of the library.
class TritonNorm(nn.Module):
    def __init__(self, size, eps=1e-6, offset=0.0):
        super().__init__()
        self.size = size
        self.variance_epsilon, self.offset = (eps, offset)

    def forward(self, hidden, target, weight):
        return NormFunction.apply(hidden, target, weight, self.variance_epsilon, self.offset)

    def extra_repr(self):
        return f"{self.offset}"


def normalized(x, target, weight, offset):
    """Divide each row by its root mean square, and return its distance to a target."""
    norm = TritonNorm(x.shape[-1], offset=offset).to(x.device)
    return norm(x, target, weight)
