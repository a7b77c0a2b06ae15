CASES = [
    {"shape": (1, 1), "p": 0.5, "dtype": torch.float32, "seed": 0},
    {"shape": (13, 11), "p": 0.1, "dtype": torch.float32, "seed": 1},
    {"shape": (7, 143), "p": 0.3, "dtype": torch.float32, "seed": 12345},
]
TOLERANCE = {torch.float32: (1e-6, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["shape"], generator=generator).to(device, case["dtype"])
    return x.t(), case["p"], case["seed"]
