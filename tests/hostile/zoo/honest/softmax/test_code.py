CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 7, "columns": 97, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 13, "columns": 400, "dtype": torch.float32, "layout": "rows", "seed": 2},
    {"rows": 3, "columns": 65, "dtype": torch.float16, "layout": "rows", "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-7), torch.float16: (2e-3, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = 3.0 * torch.randn(case["rows"], case["columns"], generator=generator)
    x = x.to(device, case["dtype"])
    return (x.t().contiguous().t() if case["layout"] == "columns" else x,)
