CASES = [
    {"sizes": (1,), "dtype": torch.float32, "step": 1, "seed": 0},
    {"sizes": (300, 17, 256), "dtype": torch.float32, "step": 2, "seed": 1},
    {"sizes": (64, 1000), "dtype": torch.float32, "step": 1, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-6, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    step, kind = case["step"], case["dtype"]
    xs = [torch.randn(n * step, generator=generator) for n in case["sizes"]]
    ys = [torch.randn(n, generator=generator).to(device, kind) for n in case["sizes"]]
    return [x.to(device, kind)[::step] for x in xs], ys
