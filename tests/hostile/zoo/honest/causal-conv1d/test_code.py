FIXED = ("taps",)
CASES = [
    {"batch": 1, "channels": 1, "length": 1, "taps": 4, "dtype": torch.float32, "seed": 0},
    {"batch": 2, "channels": 3, "length": 131, "taps": 4, "dtype": torch.float32, "seed": 1},
    {"batch": 1, "channels": 2, "length": 400, "taps": 3, "dtype": torch.float32, "seed": 2},
    {"batch": 1, "channels": 5, "length": 60, "taps": 2, "dtype": torch.float16, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.float16: (2e-3, 4e-3)}


def make_inputs(case, device):
    """Channels last in memory."""
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["batch"], case["length"], case["channels"], generator=generator)
    weight = torch.randn(case["channels"], case["taps"], generator=generator)
    return x.to(device, case["dtype"]).transpose(1, 2), weight.to(device, case["dtype"])
