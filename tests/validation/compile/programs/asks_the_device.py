import torch

WARP = torch.cuda.get_device_properties(torch.cuda.current_device()).warp_size


@triton.autotune([triton.Config({"BLOCK": 32 * WARP})], key=[])
@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0.0)
