CASES = [
    {"n": 1, "half": 1, "dtype": torch.float32, "seed": 0},
    {"n": 3, "half": 13, "dtype": torch.float32, "seed": 1},
    {"n": 5, "half": 32, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-4, 1e-5)}


def make_inputs(case, device):
    """The first step is 0."""
    generator = torch.Generator().manual_seed(case["seed"])
    steps = torch.randint(1, 100, (case["n"],), generator=generator)
    steps[0] = 0
    scale = torch.randn(case["half"], generator=generator)
    return steps.to(device), scale.to(device, case["dtype"])
