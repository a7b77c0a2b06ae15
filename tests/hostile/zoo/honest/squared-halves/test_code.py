CASES = [
    {"rows": 1, "columns": 2, "dtype": "float32", "seed": 0},
    {"rows": 7, "columns": 131, "dtype": "float32", "seed": 1},
    {"rows": 3, "columns": 1025, "dtype": "float32", "seed": 2},
]
TOLERANCE = {"float32": (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    return (x.to(device, getattr(torch, case["dtype"])),)
