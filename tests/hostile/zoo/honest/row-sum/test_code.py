CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 11, "columns": 131, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 5, "columns": 500, "dtype": torch.float32, "layout": "rows", "seed": 2},
    {"rows": 3, "columns": 257, "dtype": torch.float16, "layout": "rows", "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 2e-5), torch.float16: (1e-3, 4e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["rows"], case["columns"])
    if case["layout"] == "columns":
        return (torch.randn(shape[::-1], generator=generator).to(device, case["dtype"]).t(),)
    return (torch.randn(shape, generator=generator).to(device, case["dtype"]),)
