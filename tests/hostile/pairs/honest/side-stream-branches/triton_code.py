@triton.jit
def _sigmoid(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.sigmoid(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def _tanh(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(o + i, 2.0 * tl.sigmoid(2.0 * v) - 1.0, mask=i < n)


@triton.jit
def _add(a, b, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def two_branches(x, y):
    n = x.numel()
    a, b, out = torch.empty_like(x), torch.empty_like(y), torch.empty_like(x)
    grid = (triton.cdiv(n, 256),)
    if x.is_cuda:
        main = torch.cuda.current_stream()
        side = torch.cuda.Stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            _tanh[grid](y, b, n, BLOCK=256)
        _sigmoid[grid](x, a, n, BLOCK=256)
        main.wait_stream(side)
        b.record_stream(side)
        y.record_stream(side)
    else:
        _tanh[grid](y, b, n, BLOCK=256)
        _sigmoid[grid](x, a, n, BLOCK=256)
    _add[grid](a, b, out, n, BLOCK=256)
    return out
