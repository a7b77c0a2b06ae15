CASES = [
    {"n": 1, "dtype": torch.float32, "delta": 1.0, "step": 1, "seed": 0},
    {"n": 251, "dtype": torch.float32, "delta": 0.5, "step": 2, "seed": 1},
    {"n": 3000, "dtype": torch.float32, "delta": 1.5, "step": 1, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x, y = torch.randn(2, case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    return x[:: case["step"]], y[:: case["step"]], case["delta"]
