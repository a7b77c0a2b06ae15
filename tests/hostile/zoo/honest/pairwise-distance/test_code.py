CASES = [
    {"m": 1, "n": 1, "d": 1, "dtype": torch.float32, "seed": 0},
    {"m": 17, "n": 23, "d": 5, "dtype": torch.float32, "seed": 1},
    {"m": 40, "n": 20, "d": 100, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["d"], case["m"], generator=generator).to(device, case["dtype"]).t()
    y = torch.randn(case["n"], case["d"], generator=generator).to(device, case["dtype"])
    return x, y
