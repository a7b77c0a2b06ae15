CASES = [
    {"n": 1, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 97, "dtype": torch.float32, "step": 1, "seed": 1},
    {"n": 1000, "dtype": torch.float32, "step": 2, "seed": 2},
    {"n": 5000, "dtype": torch.float32, "step": 1, "seed": 3},
    {"n": 1000, "dtype": torch.float16, "step": 3, "seed": 4},
    {"n": 3001, "dtype": torch.bfloat16, "step": 1, "seed": 5},
]
TOLERANCE = {
    torch.float32: (1e-6, 1e-6),
    torch.float16: (1e-3, 1e-4),
    torch.bfloat16: (8e-3, 1e-3),
}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    n, step = case["n"], case["step"]
    x = torch.randn(n * step, generator=generator).to(device, case["dtype"])
    y = torch.randn(n, generator=generator).to(device, case["dtype"])
    return x[::step], y
