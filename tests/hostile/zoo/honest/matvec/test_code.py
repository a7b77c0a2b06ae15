CASES = [
    {"m": 1, "n": 1, "dtype": torch.float32, "transposed": False, "seed": 0},
    {"m": 53, "n": 131, "dtype": torch.float32, "transposed": True, "seed": 1},
    {"m": 40, "n": 250, "dtype": torch.bfloat16, "transposed": False, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 5e-5), torch.bfloat16: (1.6e-2, 1.3e-1)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["n"], case["m"]) if case["transposed"] else (case["m"], case["n"])
    matrix = torch.randn(shape, generator=generator).to(device, case["dtype"])
    vector = torch.randn(case["n"], generator=generator).to(device, case["dtype"])
    return (matrix.t() if case["transposed"] else matrix), vector
