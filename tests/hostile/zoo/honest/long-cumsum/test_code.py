CASES = [
    {"n": 1, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 127, "dtype": torch.float32, "step": 3, "seed": 1},
    {"n": 1000, "dtype": torch.float32, "step": 1, "seed": 2},
    {"n": 2048, "dtype": torch.float32, "step": 2, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    return (x[:: case["step"]],)
