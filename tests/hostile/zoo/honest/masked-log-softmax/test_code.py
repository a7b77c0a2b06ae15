CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 6, "columns": 53, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 5, "columns": 300, "dtype": torch.float32, "layout": "rows", "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    """The first column is always kept, so that no row is without any."""
    generator = torch.Generator().manual_seed(case["seed"])
    rows, columns = case["rows"], case["columns"]
    x = 4.0 * torch.randn(rows, columns, generator=generator).to(device, case["dtype"])
    keep = torch.rand(rows, columns, generator=generator) < 0.6
    keep[:, 0] = True
    return (x.t().contiguous().t() if case["layout"] == "columns" else x), keep.to(device)
