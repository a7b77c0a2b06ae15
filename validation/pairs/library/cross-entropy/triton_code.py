"""The mean cross entropy over rows of logits, with its gradient."""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_forward_kernel(
    logits_ptr,
    target_ptr,
    losses_ptr,
    normalizer_ptr,
    n_cols,
    stride_m,
    stride_n,
    target_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes one row's loss, online: the sum is rescaled as larger values appear."""
    row = tl.program_id(0)
    target = tl.load(target_ptr + row * target_stride)
    largest = -float("inf")
    total = 0.0
    for first in range(0, n_cols, BLOCK_SIZE):
        cols = first + tl.arange(0, BLOCK_SIZE)
        x = tl.load(
            logits_ptr + row * stride_m + cols * stride_n, mask=cols < n_cols, other=-float("inf")
        ).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        # A block of infinities alone must not give the difference of two infinities.
        shift = tl.where(larger == -float("inf"), 0.0, larger)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = larger
    normalizer = largest + tl.log(total)
    tl.store(normalizer_ptr + row, normalizer)
    # A negative target marks a row that does not count.
    own = tl.load(logits_ptr + row * stride_m + tl.maximum(target, 0) * stride_n).to(tl.float32)
    tl.store(losses_ptr + row, tl.where(target >= 0, normalizer - own, 0.0))


@triton.jit
def mean_of_counted_kernel(
    losses_ptr,
    target_ptr,
    out_ptr,
    count_ptr,
    n_rows,
    target_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """One program averages the rows that count."""
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    count = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for first in range(0, n_rows, BLOCK_SIZE):
        rows = first + tl.arange(0, BLOCK_SIZE)
        mask = rows < n_rows
        total += tl.load(losses_ptr + rows, mask=mask, other=0.0)
        target = tl.load(target_ptr + rows * target_stride, mask=mask, other=-1)
        count += (target >= 0).to(tl.float32)
    counted = tl.maximum(tl.sum(count, axis=0), 1.0)
    tl.store(count_ptr, counted)
    tl.store(out_ptr, tl.sum(total, axis=0) / counted)


@triton.jit
def cross_entropy_backward_kernel(
    grad_ptr,
    logits_ptr,
    target_ptr,
    normalizer_ptr,
    count_ptr,
    grad_logits_ptr,
    n_cols,
    stride_m,
    stride_n,
    target_stride,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program computes a block of one row: softmax minus the target."""
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(logits_ptr + row * stride_m + cols * stride_n, mask=mask, other=0.0)
    probability = tl.exp(x.to(tl.float32) - tl.load(normalizer_ptr + row))
    grad = probability - (cols == target).to(tl.float32)
    grad = grad * tl.load(grad_ptr).to(tl.float32) / tl.load(count_ptr)
    grad = tl.where(target >= 0, grad, 0.0)
    tl.store(grad_logits_ptr + row * n_cols + cols, grad, mask=mask)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target):
        n_rows, n_cols = logits.shape
        losses = torch.empty((n_rows,), dtype=torch.float32, device=logits.device)
        normalizer = torch.empty((n_rows,), dtype=torch.float32, device=logits.device)
        count = torch.empty((), dtype=torch.float32, device=logits.device)
        out = torch.empty((), dtype=logits.dtype, device=logits.device)
        if n_rows:
            cross_entropy_forward_kernel[(n_rows,)](
                logits,
                target,
                losses,
                normalizer,
                n_cols,
                *logits.stride(),
                target.stride(0),
                BLOCK_SIZE=256,
            )
        mean_of_counted_kernel[(1,)](
            losses, target, out, count, n_rows, target.stride(0), BLOCK_SIZE=256
        )
        ctx.save_for_backward(logits, target, normalizer, count)
        return out

    @staticmethod
    def backward(ctx, grad):
        logits, target, normalizer, count = ctx.saved_tensors
        n_rows, n_cols = logits.shape
        grad_logits = torch.empty((n_rows, n_cols), dtype=logits.dtype, device=logits.device)
        if grad_logits.numel():
            cross_entropy_backward_kernel[(n_rows, triton.cdiv(n_cols, 256))](
                grad,
                logits,
                target,
                normalizer,
                count,
                grad_logits,
                n_cols,
                *logits.stride(),
                target.stride(0),
                BLOCK_SIZE=256,
            )
        return grad_logits, None


def cross_entropy(logits, target):
    """`logits` is rows by classes; a negative `target` leaves its row out of the mean."""
    return CrossEntropy.apply(logits, target)
