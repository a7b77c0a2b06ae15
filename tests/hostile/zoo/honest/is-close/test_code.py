# Distances are no multiples of what inputs differ by, so rounding decides nothing.
CASES = [
    {"n": 1, "dtype": torch.float32, "distance": 0.3, "seed": 0},
    {"n": 101, "dtype": torch.float32, "distance": 0.53, "seed": 1},
    {"n": 1300, "dtype": torch.float32, "distance": 0.77, "seed": 2},
]
TOLERANCE = {torch.bool: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    both = torch.randint(-8, 9, (case["n"], 2), generator=generator).to(device, case["dtype"]) / 8
    return both[:, 0], both[:, 1], case["distance"]
