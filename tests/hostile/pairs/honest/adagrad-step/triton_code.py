import triton
import triton.language as tl


@triton.jit
def adagrad_kernel(p_ptr, g_ptr, s_ptr, lr, eps, wd, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    p = tl.load(p_ptr + i, mask=m)
    g = tl.load(g_ptr + i, mask=m) + wd * p
    s = tl.load(s_ptr + i, mask=m) + g * g
    tl.store(s_ptr + i, s, mask=m)
    tl.store(p_ptr + i, p - lr * g / (tl.sqrt(s) + eps), mask=m)


def adagrad_step(param, grad, state_sum, lr=0.01, eps=1e-10, weight_decay=0.0):
    n = param.numel()
    adagrad_kernel[(triton.cdiv(n, 512),)](
        param, grad, state_sum, lr, eps, weight_decay, n, BLOCK=512
    )
