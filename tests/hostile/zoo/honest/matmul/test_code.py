CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.float32, "transposed": False, "seed": 0},
    {"m": 37, "n": 29, "k": 41, "dtype": torch.float32, "transposed": True, "seed": 1},
    {"m": 100, "n": 70, "k": 90, "dtype": torch.float32, "transposed": False, "seed": 2},
    {"m": 64, "n": 33, "k": 128, "dtype": torch.float16, "transposed": True, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 5e-5), torch.float16: (2e-3, 1e-2)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    m, n, k = case["m"], case["n"], case["k"]
    a = torch.randn(m, k, generator=generator).to(device, case["dtype"])
    if case["transposed"]:
        return a, torch.randn(n, k, generator=generator).to(device, case["dtype"]).t()
    return a, torch.randn(k, n, generator=generator).to(device, case["dtype"])
