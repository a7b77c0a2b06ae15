CASES = [
    {"rows": 1, "size": 1, "added": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 7, "size": 61, "added": 23, "dtype": torch.float32, "seed": 1},
    {"rows": 5, "size": 130, "added": 20, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    base = torch.randn(case["rows"], 2 * case["size"], generator=generator)
    rows = torch.randn(case["size"], case["added"], generator=generator)
    indices = torch.randint(0, case["rows"], (case["added"],), generator=generator)
    base, rows = base.to(device, case["dtype"]), rows.to(device, case["dtype"])
    return base[:, : case["size"]], indices.to(device), rows.t()
