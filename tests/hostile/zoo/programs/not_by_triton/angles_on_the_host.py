@triton.jit
def scale_rows(waves_ptr, scale_ptr, out_ptr, n, half, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wave = tl.load(waves_ptr + offsets, mask=offsets < n, other=0.0)
    scale = tl.load(scale_ptr + offsets % half, mask=offsets < n, other=0.0)
    tl.store(out_ptr + offsets, wave * scale, mask=offsets < n)


def waves_of(numbers, half):
    """Cosines and sines that torch computes of numbers of the host."""
    frequencies = torch.exp(torch.arange(half).float() * (-math.log(10000.0) / half))
    angles = torch.tensor(numbers)[:, None] * frequencies
    return torch.cat((torch.cos(angles), torch.sin(angles)), dim=1)


def read_steps(steps):
    return steps.tolist()


def device_table(waves, device):
    return waves.to(device)


def step_embedding(steps, scale):
    half = scale.shape[0]
    waves = device_table(waves_of(read_steps(steps), half), scale.device)
    out = torch.empty(waves.shape, dtype=scale.dtype, device=scale.device)
    n = out.numel()
    scale_rows[(triton.cdiv(n, 64),)](waves, scale.contiguous(), out, n, half, BLOCK=64)
    return out
