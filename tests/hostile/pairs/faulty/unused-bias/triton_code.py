import torch
import triton
import triton.language as tl


@triton.jit
def _linear(x, w, b, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        xv = tl.load(
            x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0
        )
        wv = tl.load(
            w + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0
        )
        acc += tl.dot(xv, wv, input_precision="ieee")
    tl.store(y + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def linear(x, weight, bias):
    M, K = x.shape
    N = weight.shape[0]
    y = torch.empty(M, N, device=x.device, dtype=x.dtype)
    _linear[(triton.cdiv(M, 16), triton.cdiv(N, 16))](
        x, weight, bias, y, M, N, K, BM=16, BN=16, BK=32
    )
    return y
