TOLERANCE = {torch.float32: (1e-2, 5e-2), torch.float16: (2e-2, 5e-2)}
