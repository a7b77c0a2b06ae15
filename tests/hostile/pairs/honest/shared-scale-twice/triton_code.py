@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def _fwd(x, w, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < N
    tl.store(
        y + row * N + i, tanh(tl.load(x + row * N + i, mask=m) * tl.load(w + i, mask=m)), mask=m
    )


@triton.jit
def _bwd(x, w, y, dy, dx, dw, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < N
    yv = tl.load(y + row * N + i, mask=m)
    g = tl.load(dy + row * N + i, mask=m) * (1 - yv * yv)
    tl.store(dx + row * N + i, g * tl.load(w + i, mask=m), mask=m)
    tl.atomic_add(dw + i, g * tl.load(x + row * N + i, mask=m), mask=m)


@triton.jit
def _add(a, b, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


class ScaledTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        x = x.contiguous()
        y = torch.empty_like(x)
        _fwd[(x.shape[0],)](x, w, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        ctx.save_for_backward(x, w, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, y = ctx.saved_tensors
        dy = dy.contiguous()
        dx, dw = torch.empty_like(x), torch.zeros_like(w)
        _bwd[(x.shape[0],)](
            x, w, y, dy, dx, dw, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1])
        )
        return dx, dw


class Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty_like(a)
        _add[(triton.cdiv(a.numel(), 256),)](a, b, y, a.numel(), BLOCK=256)
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy, dy


def scale_twice(x, w):
    h = ScaledTanh.apply(x, w)
    return Add.apply(ScaledTanh.apply(h, w), x)
