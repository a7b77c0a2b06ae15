CASES = [
    {"n": 1, "bins": 1, "dtype": torch.int32, "step": 1, "seed": 0},
    {"n": 97, "bins": 7, "dtype": torch.int32, "step": 2, "seed": 1},
    {"n": 1500, "bins": 100, "dtype": torch.int32, "step": 1, "seed": 2},
]
TOLERANCE = {torch.int32: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randint(0, case["bins"], (case["n"] * case["step"],), generator=generator)
    return x.to(device, case["dtype"])[:: case["step"]], case["bins"]
