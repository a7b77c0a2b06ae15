CASES = [
    {"shape": (0, 4), "dtype": torch.float32, "value": -1.5, "layout": "rows", "seed": 0},
    {"shape": (1, 1), "dtype": torch.float32, "value": 0.5, "layout": "rows", "seed": 1},
    {"shape": (31, 11), "dtype": torch.float32, "value": 2.0, "layout": "columns", "seed": 2},
    {"shape": (7, 111), "dtype": torch.int32, "value": -7.0, "layout": "rows", "seed": 3},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.int32: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = (10 * torch.randn(case["shape"], generator=generator)).to(device, case["dtype"])
    mask = torch.rand(case["shape"], generator=generator).to(device) < 0.3
    if case["layout"] == "columns":
        x, mask = x.t(), mask.t()
    return x, mask, case["value"]
