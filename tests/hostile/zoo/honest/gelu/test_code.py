CASES = [
    {"shape": (1,), "dtype": torch.float32, "transposed": False, "seed": 0},
    {"shape": (7, 13), "dtype": torch.float32, "transposed": True, "seed": 1},
    {"shape": (3, 5, 67), "dtype": torch.float32, "transposed": False, "seed": 2},
    {"shape": (2, 999), "dtype": torch.bfloat16, "transposed": False, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.bfloat16: (1.6e-2, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = (2.0 * torch.randn(case["shape"], generator=generator)).to(device, case["dtype"])
    return (x.transpose(0, -1) if case["transposed"] else x,)
