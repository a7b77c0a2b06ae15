BLOCK = 128


@triton.jit
def conv_kernel(x_ptr, weight_ptr, out_ptr, channels, length, x_batch, x_channel, x_time,
                TAPS: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    batch = (tl.program_id(1) // channels).to(tl.int64)
    channel = tl.program_id(1) % channels
    times = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = x_ptr + batch * x_batch + channel * x_channel
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for tap in tl.static_range(TAPS):
        past = times - (TAPS - 1 - tap)
        x = tl.load(source + past * x_time, mask=(past >= 0) & (past < length), other=0.0)
        total += x.to(tl.float32) * tl.load(weight_ptr + channel * TAPS + tap).to(tl.float32)
    target = out_ptr + (batch * channels + channel) * length + times
    tl.store(target, total.to(out_ptr.dtype.element_ty), mask=times < length)


def causal_conv1d(x, weight):
    batch, channels, length = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    conv_kernel[(triton.cdiv(length, BLOCK), batch * channels)](
        x, weight, out, channels, length, *x.stride(), TAPS=weight.shape[1], BLOCK=BLOCK
    )
    return out
