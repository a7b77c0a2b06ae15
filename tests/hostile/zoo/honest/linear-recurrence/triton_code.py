@triton.jit
def compose(decay_before, x_before, decay_after, x_after):
    return decay_before * decay_after, decay_after * x_before + x_after


@triton.jit
def recurrence_kernel(decay_ptr, x_ptr, out_ptr, columns, decay_row, x_row, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    state = tl.full((), 0.0, tl.float32)
    last = tl.arange(0, BLOCK) == BLOCK - 1
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        # Beyond the end: multiply by one, add nothing.
        decay = tl.load(decay_ptr + row * decay_row + offsets, mask=mask, other=1.0)
        x = tl.load(x_ptr + row * x_row + offsets, mask=mask, other=0.0)
        decays, sums = tl.associative_scan((decay, x), 0, compose)
        states = decays * state + sums
        tl.store(out_ptr + row * columns + offsets, states, mask=mask)
        state = tl.sum(tl.where(last, states, 0.0), axis=0)


def linear_recurrence(decay, x):
    decay, x = (z if z.stride(1) == 1 else z.contiguous() for z in (decay, x))
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    recurrence_kernel[(rows,)](decay, x, out, columns, decay.stride(0), x.stride(0), BLOCK=32)
    return out
