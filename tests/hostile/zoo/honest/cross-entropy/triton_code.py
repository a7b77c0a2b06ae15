IGNORED = tl.constexpr(-100)


@triton.jit
def row_kernel(logits_ptr, labels_ptr, loss_ptr, level_ptr, classes, stride, BLOCK: tl.constexpr):
    """A row's loss, and the logarithm of its sum of exponentials for the way back."""
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels_ptr + row)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * stride + offsets, mask=offsets < classes, other=float("-inf"))
    largest = tl.max(x, axis=0)
    level = largest + tl.log(tl.sum(tl.exp(x - largest), axis=0))
    counts = label != IGNORED
    own = tl.load(logits_ptr + row * stride + label, mask=counts, other=0.0)
    tl.store(loss_ptr + row, tl.where(counts, level - own, 0.0))
    tl.store(level_ptr + row, level)


@triton.jit
def mean_kernel(loss_ptr, labels_ptr, out_ptr, count_ptr, rows, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    count = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, rows, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < rows
        total += tl.load(loss_ptr + offsets, mask=mask, other=0.0)
        labels = tl.load(labels_ptr + offsets, mask=mask, other=IGNORED)
        count += tl.where(labels != IGNORED, 1.0, 0.0)
    tl.store(out_ptr, tl.sum(total, axis=0) / tl.sum(count, axis=0))
    tl.store(count_ptr, tl.sum(count, axis=0))


@triton.jit
def backward_kernel(logits_ptr, labels_ptr, level_ptr, count_ptr, grad_ptr, out_ptr, classes,
                    stride, BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels_ptr + row)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < classes
    x = tl.load(logits_ptr + row * stride + offsets, mask=mask, other=float("-inf"))
    likely = tl.exp(x - tl.load(level_ptr + row)) - tl.where(offsets == label, 1.0, 0.0)
    share = tl.load(grad_ptr) / tl.load(count_ptr)
    out = tl.where(label != IGNORED, likely * share, 0.0)
    tl.store(out_ptr + row * classes + offsets, out, mask=mask)


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, labels):
        logits = logits if logits.stride(1) == 1 else logits.contiguous()
        rows, classes = logits.shape
        new = {"dtype": torch.float32, "device": logits.device}
        losses, levels = torch.empty(rows, **new), torch.empty(rows, **new)
        out, count = torch.empty((), **new), torch.empty((), **new)
        block = triton.next_power_of_2(max(1, classes))
        row_kernel[(rows,)](logits, labels, losses, levels, classes, logits.stride(0), BLOCK=block)
        mean_kernel[(1,)](losses, labels, out, count, rows, BLOCK=64)
        ctx.save_for_backward(logits, labels, levels, count)
        return out

    @staticmethod
    def backward(ctx, grad):
        logits, labels, levels, count = ctx.saved_tensors
        rows, classes = logits.shape
        out = torch.empty((rows, classes), dtype=logits.dtype, device=logits.device)
        block = triton.next_power_of_2(max(1, classes))
        backward_kernel[(rows,)](
            logits, labels, levels, count, grad, out, classes, logits.stride(0), BLOCK=block
        )
        return out, None


def cross_entropy(logits, labels):
    return _CrossEntropy.apply(logits, labels)
