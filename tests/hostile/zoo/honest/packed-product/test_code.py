CASES = [
    {"rows": 1, "columns": 1, "dtype": "float32", "seed": 0},
    {"rows": 6, "columns": 129, "dtype": "float32", "seed": 1},
    {"rows": 2, "columns": 700, "dtype": "float16", "seed": 2},
]
TOLERANCE = {"float32": (1e-5, 1e-6), "float16": (4e-3, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    both = torch.randn(case["rows"], 2 * case["columns"], generator=generator)
    return (both.to(device, getattr(torch, case["dtype"])),)
