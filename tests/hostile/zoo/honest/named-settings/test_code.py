CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 97, "dtype": torch.float32, "seed": 1},
    {"n": 1500, "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.float16: (2e-3, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["n"], generator=generator).to(device, case["dtype"])
    settings = {"storage": 0.5, "tensor": case["seed"] % 3, "tuple": "none"}
    return x, settings, {0: 1.5, 1: 2.5, 2: -0.75}
