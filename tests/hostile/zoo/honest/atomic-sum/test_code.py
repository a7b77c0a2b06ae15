CASES = [
    {"n": 0, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 1, "dtype": torch.float32, "step": 1, "seed": 1},
    {"n": 499, "dtype": torch.float32, "step": 2, "seed": 2},
    {"n": 3000, "dtype": torch.float32, "step": 1, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.rand(case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    weight = torch.rand(case["n"], generator=generator).to(device, case["dtype"])
    return x[:: case["step"]], weight
