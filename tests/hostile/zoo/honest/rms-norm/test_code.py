CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float16, "eps": 1e-6, "seed": 0},
    {"rows": 7, "columns": 113, "dtype": torch.bfloat16, "eps": 1e-6, "seed": 1},
    {"rows": 4, "columns": 700, "dtype": torch.float16, "eps": 1e-5, "seed": 2},
]
TOLERANCE = {torch.float16: (2e-3, 1e-3), torch.bfloat16: (1.6e-2, 1e-2)}


def make_inputs(case, device):
    """Every other row of a longer tensor: the rows are dense, the tensor is not."""
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(2 * case["rows"], case["columns"], generator=generator)
    weight = 1.0 + 0.1 * torch.randn(case["columns"], generator=generator)
    x, weight = x.to(device, case["dtype"]), weight.to(device, case["dtype"])
    return x[::2], weight, case["eps"]
