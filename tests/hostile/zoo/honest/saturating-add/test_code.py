CASES = [
    {"n": 1, "dtype": torch.int8, "step": 1, "seed": 0},
    {"n": 251, "dtype": torch.int8, "step": 3, "seed": 1},
    {"n": 4100, "dtype": torch.int8, "step": 1, "seed": 2},
]
TOLERANCE = {torch.int8: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    size = (case["n"] * case["step"],)
    x, y = (torch.randint(-128, 128, size, generator=generator) for _ in range(2))
    return tuple(z.to(device, case["dtype"])[:: case["step"]] for z in (x, y))
