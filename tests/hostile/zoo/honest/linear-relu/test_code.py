CASES = [
    {"batch": 1, "m": 1, "n": 1, "k": 1, "dtype": torch.float32, "bias": True, "seed": 0},
    {"batch": 3, "m": 17, "n": 35, "k": 23, "dtype": torch.float32, "bias": False, "seed": 1},
    {"batch": 2, "m": 40, "n": 65, "k": 70, "dtype": torch.float32, "bias": True, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 5e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    batch, m, n, k = case["batch"], case["m"], case["n"], case["k"]
    x = torch.randn(m, batch, k, generator=generator).to(device, case["dtype"]).transpose(0, 1)
    weight = torch.randn(n, k, generator=generator).to(device, case["dtype"]).t()
    bias = torch.randn(n, generator=generator).to(device, case["dtype"])
    return x, weight, bias if case["bias"] else None
