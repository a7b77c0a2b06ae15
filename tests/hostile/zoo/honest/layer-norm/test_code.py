CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "eps": 1e-5, "layout": "rows", "seed": 0},
    {"rows": 5, "columns": 67, "dtype": torch.float32, "eps": 1e-5, "layout": "columns", "seed": 1},
    {"rows": 3, "columns": 200, "dtype": torch.float32, "eps": 1e-3, "layout": "rows", "seed": 2},
    {"rows": 9, "columns": 64, "dtype": torch.float16, "eps": 1e-5, "layout": "rows", "seed": 3},
]
# The gradient of a row of one number is 0, which rounding makes up to eps * rstd.
TOLERANCE = {torch.float32: (1e-4, 5e-5), torch.float16: (4e-3, 4e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    weight = 1.0 + 0.1 * torch.randn(case["columns"], generator=generator)
    bias = 0.1 * torch.randn(case["columns"], generator=generator)
    x, weight, bias = (z.to(device, case["dtype"]) for z in (x, weight, bias))
    if case["layout"] == "columns":
        x = x.t().contiguous().t()
    return x, weight, bias, case["eps"]
