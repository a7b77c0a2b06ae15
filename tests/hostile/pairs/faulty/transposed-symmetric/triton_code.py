import torch
import triton
import triton.language as tl


@triton.jit
def _matvec(a, x, y, N, BM: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for start in range(0, N, BK):
        k = start + tl.arange(0, BK)
        av = tl.load(
            a + k[None, :] * N + m[:, None], mask=(m[:, None] < N) & (k[None, :] < N), other=0.0
        )
        acc += tl.sum(av * tl.load(x + k, mask=k < N, other=0.0)[None, :], axis=1)
    tl.store(y + m, acc, mask=m < N)


def matvec(a, x):
    N = a.shape[0]
    y = torch.empty_like(x)
    _matvec[(triton.cdiv(N, 32),)](a, x, y, N, BM=32, BK=32)
    return y
