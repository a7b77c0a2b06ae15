CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 13, "columns": 29, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 4, "columns": 519, "dtype": torch.float32, "layout": "rows", "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["rows"], case["columns"])
    x = torch.randn(shape, generator=generator).to(device, case["dtype"])
    return (3.0 + (x.t().contiguous().t() if case["layout"] == "columns" else x),)
