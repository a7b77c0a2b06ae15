import torch
import triton
import triton.language as tl


@triton.jit
def _rms(x, y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + i, mask=i < N, other=0.0)
    root = tl.sqrt(tl.sum(v * v, axis=0) / N)
    tl.store(y + row * N + i, v / (root + eps), mask=i < N)


def rms_norm(x, eps=1e-2):
    M, N = x.shape
    y = torch.empty_like(x)
    _rms[(M,)](x, y, N, eps, BLOCK=triton.next_power_of_2(N))
    return y
