@triton.jit
def _w8a16(x, q, s, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        xv = tl.load(
            x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0
        )
        qv = tl.load(
            q + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0
        )
        acc += tl.dot(xv, qv.to(xv.dtype))
    acc *= tl.load(s + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    tl.store(
        y + m[:, None] * N + n[None, :],
        acc.to(y.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )


def w8a16_linear(x, qweight, scales):
    M, K = x.shape
    N = qweight.shape[0]
    y = torch.empty(M, N, dtype=x.dtype, device=x.device)
    _w8a16[(triton.cdiv(M, 16), triton.cdiv(N, 32))](
        x, qweight, scales, y, M, N, K, BM=16, BN=32, BK=64
    )
    return y
