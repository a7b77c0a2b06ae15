CASES = [
    {"shape": (1, 1), "amplitude": 1.0, "dtype": torch.float16, "seed": 1},
    {"shape": (11, 23), "amplitude": 0.5, "dtype": torch.float16, "seed": 2},
    {"shape": (64, 17), "amplitude": 2.0, "dtype": torch.float16, "seed": 99},
]
TOLERANCE = {torch.float16: (1e-3, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["shape"], generator=generator).to(device, case["dtype"])
    return x.t(), case["seed"], case["amplitude"]
