CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 4, "columns": 41, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 3, "columns": 150, "dtype": torch.float32, "layout": "rows", "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["rows"], case["columns"])
    decay = torch.rand(shape, generator=generator).to(device, case["dtype"])
    x = torch.randn(shape, generator=generator).to(device, case["dtype"])
    if case["layout"] == "columns":
        decay, x = decay.t().contiguous().t(), x.t().contiguous().t()
    return decay, x
