def dequantize_blocks(q, scales):
    rows, cols = q.shape
    wide = q.float().view(rows, cols // 16, 16) * scales[:, :, None]
    return wide.view(rows, cols).to(torch.bfloat16)
