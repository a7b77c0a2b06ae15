CASES = [
    {"segments": 1, "longest": 1, "size": 1, "dtype": torch.float32, "seed": 0},
    {"segments": 3, "longest": 5, "size": 13, "dtype": torch.float32, "seed": 1},
    {"segments": 4, "longest": 21, "size": 32, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    lengths = torch.randint(1, case["longest"] + 1, (case["segments"],), generator=generator)
    bounds = torch.zeros(case["segments"] + 1, dtype=torch.int32)
    bounds[1:] = lengths.cumsum(0)
    x = torch.randn(int(bounds[-1]), case["size"], generator=generator)
    return x.to(device, case["dtype"]), bounds.to(device)
