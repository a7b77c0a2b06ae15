@triton.jit
def hard_swish_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    gate = tl.minimum(tl.maximum(x + 3.0, 0.0, tl.PropagateNan.ALL), 6.0, tl.PropagateNan.ALL)
    tl.store(out_ptr + offsets, (x * gate / 6.0).to(out_ptr.dtype.element_ty), mask=mask)


def launched(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    n = x.numel()
    if n:
        hard_swish_kernel[(triton.cdiv(n, 512),)](x.contiguous(), out, n, BLOCK=512)
    return out


# A module may be loaded again in one process, where torch knows the operation by then.
if hasattr(torch.ops.curated, "hard_swish"):
    operation = torch.ops.curated.hard_swish
else:
    operation = torch.library.custom_op("curated::hard_swish", launched, mutates_args=())


@torch.inference_mode()
def hard_swish(x):
    return operation(x)
