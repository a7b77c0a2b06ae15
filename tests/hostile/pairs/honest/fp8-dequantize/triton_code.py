@triton.jit
def _dequant(q, s, out, cols, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < cols
    v = tl.load(q + row * cols + c, mask=mask).to(tl.float32)
    scale = tl.load(s + row * (cols // GROUP) + c // GROUP, mask=mask)
    tl.store(out + row * cols + c, (v * scale).to(tl.bfloat16), mask=mask)


def dequantize_blocks(q, scales):
    rows, cols = q.shape
    assert cols % 16 == 0, "columns must be a multiple of 16"
    assert q.dtype == torch.float8_e4m3fn
    out = torch.empty(rows, cols, dtype=torch.bfloat16, device=q.device)
    _dequant[(rows, triton.cdiv(cols, 128))](q, scales, out, cols, BLOCK=128, GROUP=16)
    return out
