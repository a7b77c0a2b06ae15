CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 9, "columns": 37, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 3, "columns": 700, "dtype": torch.float32, "layout": "rows", "seed": 2},
]
TOLERANCE = {torch.float8_e5m2: (0.25, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    x = x.t().contiguous().t() if case["layout"] == "columns" else x
    scale = torch.rand((), generator=generator) + 0.5
    return x.to(device, case["dtype"]), scale.to(device, case["dtype"])
