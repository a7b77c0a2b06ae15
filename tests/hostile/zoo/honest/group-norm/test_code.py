CASES = [
    {"batch": 1, "groups": 1, "width": 1, "length": 2, "dtype": torch.float32, "seed": 0},
    {"batch": 3, "groups": 2, "width": 3, "length": 7, "dtype": torch.float32, "seed": 1},
    {"batch": 2, "groups": 5, "width": 4, "length": 61, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-4, 1e-5)}


def make_inputs(case, device):
    """Channels last in memory, as a convolution may leave them."""
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["batch"], case["length"], case["groups"] * case["width"])
    x = torch.randn(shape, generator=generator).to(device, case["dtype"])
    return x.transpose(1, 2), case["groups"], 1e-5
