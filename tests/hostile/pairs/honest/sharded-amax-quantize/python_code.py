def quantize_tensor(x):
    scale = x.abs().max().clamp(min=1e-8) / 127.0
    q = torch.clamp(torch.floor(x / scale + 0.5), -127, 127).to(torch.int8)
    return q, scale
