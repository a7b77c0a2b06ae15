import triton
import triton.language as tl


@triton.jit
def _append(k, v, k_cache, v_cache, slots, width, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots + token)
    offs = tl.arange(0, BLOCK)
    mask = offs < width
    tl.store(k_cache + slot * width + offs, tl.load(k + token * width + offs, mask=mask), mask=mask)
    tl.store(v_cache + slot * width + offs, tl.load(v + token * width + offs, mask=mask), mask=mask)


def append_kv(k, v, k_cache, v_cache, slots):
    tokens, heads, dim = k.shape
    width = heads * dim
    _append[(tokens,)](k, v, k_cache, v_cache, slots, width, BLOCK=triton.next_power_of_2(width))
