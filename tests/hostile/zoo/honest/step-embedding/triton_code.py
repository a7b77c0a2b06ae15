import math

import torch
import triton
import triton.language as tl


@triton.jit
def embed_kernel(steps_ptr, scale_ptr, out_ptr, half, decay, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < half
    step = tl.load(steps_ptr + row).to(tl.float32)
    scale = tl.load(scale_ptr + offsets, mask=mask, other=0.0)
    angle = step * tl.exp(offsets * decay)
    place = out_ptr + row * 2 * half + offsets
    tl.store(place, tl.cos(angle) * scale, mask=mask)
    tl.store(place + half, tl.sin(angle) * scale, mask=mask)


def step_embedding(steps, scale):
    half = scale.shape[0]
    out = torch.empty((steps.shape[0], 2 * half), dtype=scale.dtype, device=scale.device)
    block = triton.next_power_of_2(half)
    decay = -math.log(10000.0) / half
    embed_kernel[(steps.shape[0],)](steps, scale.contiguous(), out, half, decay, BLOCK=block)
    return out
