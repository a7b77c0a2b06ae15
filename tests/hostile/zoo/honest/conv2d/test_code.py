FIXED = ("kernel", "stride", "padding")
CASES = [
    {"batch": 1, "channels": 1, "filters": 1, "image": (1, 1), "kernel": (1, 1), "stride": 1,
     "padding": 0, "dtype": torch.float32, "seed": 0},
    {"batch": 2, "channels": 2, "filters": 5, "image": (5, 9), "kernel": (2, 3), "stride": 1,
     "padding": 1, "dtype": torch.float32, "seed": 1},
    {"batch": 1, "channels": 1, "filters": 17, "image": (17, 10), "kernel": (3, 2), "stride": 2,
     "padding": 1, "dtype": torch.float32, "seed": 2},
]  # fmt: skip
TOLERANCE = {torch.float32: (1e-5, 5e-5)}


def make_inputs(case, device):
    """Images with the channels last in memory."""
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["batch"], *case["image"], case["channels"], generator=generator)
    weight = torch.randn(case["filters"], case["channels"], *case["kernel"], generator=generator)
    x, weight = x.to(device, case["dtype"]), weight.to(device, case["dtype"])
    return x.permute(0, 3, 1, 2), weight, case["stride"], case["padding"]
