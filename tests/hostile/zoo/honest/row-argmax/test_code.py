CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 7, "columns": 61, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 5, "columns": 300, "dtype": torch.float32, "layout": "sliced", "seed": 2},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.int64: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    rows, columns = case["rows"], case["columns"]
    values = torch.randperm(rows * columns, generator=generator).to(device, case["dtype"])
    x = values.reshape(rows, columns) - rows * columns / 2
    if case["layout"] == "columns":
        return (x.t().contiguous().t(),)
    if case["layout"] == "sliced":
        return (torch.cat((x, x), dim=1)[:, :columns],)
    return (x,)
