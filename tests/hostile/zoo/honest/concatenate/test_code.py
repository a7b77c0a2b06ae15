CASES = [
    {"sizes": (1,), "dtype": torch.float32, "step": 1, "seed": 0},
    {"sizes": (13, 0, 127), "dtype": torch.float32, "step": 3, "seed": 1},
    {"sizes": (500, 64, 1), "dtype": torch.int32, "step": 1, "seed": 2},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.int32: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    step = case["step"]
    return (
        [
            (100 * torch.randn(n * step, generator=generator)).to(device, case["dtype"])[::step]
            for n in case["sizes"]
        ],
    )
