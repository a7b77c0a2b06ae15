@triton.jit
def _lse(x, out, M, N, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        v = tl.load(x + row * stride + i, mask=i < N, other=-float("inf"))
        top = tl.max(v, axis=0)
        tl.store(out + row, top + tl.log(tl.sum(tl.exp(v - top), axis=0)))


def _num_programs(device):
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).multi_processor_count
    return 4


def row_logsumexp(x):
    M, N = x.shape
    out = torch.empty(M, device=x.device, dtype=x.dtype)
    grid = (min(M, _num_programs(x.device)),)
    _lse[grid](x, out, M, N, x.stride(0), BLOCK=triton.next_power_of_2(N))
    return out
