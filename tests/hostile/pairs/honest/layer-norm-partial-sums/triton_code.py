@triton.jit
def _ln_fwd(X, Y, W, B, Mean, Rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    xc = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(xc * xc, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    b = tl.load(B + cols, mask=mask).to(tl.float32)
    tl.store(Y + row * N + cols, xc * rstd * w + b, mask=mask)


@triton.jit
def _ln_bwd(X, W, DY, DX, DW, DB, Mean, Rstd, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], tl.float32)
    db = tl.zeros([BLOCK], tl.float32)
    for row in range(pid * ROWS, min(pid * ROWS + ROWS, M)):
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(Mean + row)
        rstd = tl.load(Rstd + row)
        xhat = tl.where(mask, (x - mean) * rstd, 0.0)
        wdy = w * dy
        c1 = tl.sum(xhat * wdy, axis=0) / N
        c2 = tl.sum(wdy, axis=0) / N
        tl.store(DX + row * N + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
        dw += dy * xhat
        db += dy
    tl.store(DW + pid * N + cols, dw, mask=mask)
    tl.store(DB + pid * N + cols, db, mask=mask)


class LayerNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        shape = x.shape
        x = x.reshape(-1, shape[-1]).contiguous()
        M, N = x.shape
        y = torch.empty_like(x)
        mean = torch.empty((M,), dtype=torch.float32, device=x.device)
        rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
        BLOCK = triton.next_power_of_2(N)
        _ln_fwd[(M,)](x, y, weight, bias, mean, rstd, N, eps, BLOCK=BLOCK)
        ctx.save_for_backward(x, weight, mean, rstd)
        return y.reshape(shape)

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        M, N = x.shape
        shape = dy.shape
        dy = dy.reshape(-1, N).contiguous()
        dx = torch.empty_like(x)
        rows = 4
        groups = triton.cdiv(M, rows)
        dw = torch.empty((groups, N), dtype=torch.float32, device=x.device)
        db = torch.empty((groups, N), dtype=torch.float32, device=x.device)
        _ln_bwd[(groups,)](
            x, weight, dy, dx, dw, db, mean, rstd, M, N, ROWS=rows, BLOCK=triton.next_power_of_2(N)
        )
        return dx.reshape(shape), dw.sum(0).to(weight.dtype), db.sum(0).to(weight.dtype), None


def layer_norm(x, weight, bias, eps=1e-5):
    return LayerNormFunction.apply(x, weight, bias, eps)
