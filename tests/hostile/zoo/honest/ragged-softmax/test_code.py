CASES = [
    {"parts": 1, "longest": 1, "dtype": torch.float32, "seed": 0},
    {"parts": 3, "longest": 5, "dtype": torch.float32, "seed": 1},
    {"parts": 4, "longest": 21, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    lengths = torch.randint(1, case["longest"] + 1, (case["parts"],), generator=generator)
    x = torch.randn(int(lengths.sum()), generator=generator)
    return x.to(device, case["dtype"]), lengths.to(device)
