@triton.jit
def dequantize_kernel(packed_ptr, scales_ptr, out_ptr, width, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < 2 * width
    byte = tl.load(packed_ptr + row * row_stride + offsets // 2, mask=mask, other=0).to(tl.int32)
    value = ((byte >> (offsets % 2 * 4)) & 15) - 8
    scale = tl.load(scales_ptr + row).to(tl.float32)
    out = (value.to(tl.float32) * scale).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + row * 2 * width + offsets, out, mask=mask)


def dequantize(packed, scales):
    packed = packed if packed.stride(1) == 1 else packed.contiguous()
    rows, width = packed.shape
    out = torch.empty((rows, 2 * width), dtype=scales.dtype, device=packed.device)
    grid = (rows, triton.cdiv(2 * width, 128))
    dequantize_kernel[grid](packed, scales, out, width, packed.stride(0), BLOCK=128)
    return out
