CASES = [
    {"words": 1, "size": 1, "shape": (1, 1), "dtype": torch.float32, "seed": 0},
    {"words": 19, "size": 13, "shape": (5, 7), "dtype": torch.float32, "seed": 1},
    {"words": 50, "size": 150, "shape": (3, 11), "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.float16: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    indices = torch.randint(0, case["words"], case["shape"], generator=generator).to(device)
    table = torch.randn(case["words"], case["size"], generator=generator)
    return indices.t(), table.to(device, case["dtype"])
