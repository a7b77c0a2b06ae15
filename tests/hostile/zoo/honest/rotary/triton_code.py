@triton.jit
def rotary_kernel(
    x_ptr, cos_ptr, sin_ptr, out_ptr, heads, half,
    position_stride, head_stride, BLOCK: tl.constexpr,
):  # fmt: skip
    position, head = tl.program_id(0), tl.program_id(1)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < half
    cos = tl.load(cos_ptr + position * half + offsets, mask=mask).to(tl.float32)
    sin = tl.load(sin_ptr + position * half + offsets, mask=mask).to(tl.float32)
    source = x_ptr + position * position_stride + head * head_stride
    first = tl.load(source + offsets, mask=mask).to(tl.float32)
    second = tl.load(source + half + offsets, mask=mask).to(tl.float32)
    target = out_ptr + (position * heads + head) * 2 * half
    element = out_ptr.dtype.element_ty
    tl.store(target + offsets, (first * cos - second * sin).to(element), mask=mask)
    tl.store(target + half + offsets, (second * cos + first * sin).to(element), mask=mask)


def rotated(x, cos, sin):
    positions, heads, size = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(max(1, size // 2))
    rotary_kernel[(positions, heads)](
        x, cos, sin, out, heads, size // 2, x.stride(0), x.stride(1), BLOCK=block
    )
    return out


def rotary(q, k, cos, sin):
    return rotated(q, cos, sin), rotated(k, cos, sin)
