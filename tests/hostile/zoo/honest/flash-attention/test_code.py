FIXED = ("size",)
CASES = [
    {"batch": 1, "heads": 1, "positions": 1, "size": 16, "causal": False, "dtype": torch.float32,
     "seed": 0},
    {"batch": 1, "heads": 2, "positions": 37, "size": 16, "causal": True, "dtype": torch.float32,
     "seed": 1},
    {"batch": 1, "heads": 1, "positions": 45, "size": 40, "causal": False, "dtype": torch.float32,
     "seed": 2},
    {"batch": 1, "heads": 1, "positions": 35, "size": 32, "causal": True, "dtype": torch.float16,
     "seed": 3},
]  # fmt: skip
TOLERANCE = {torch.float32: (1e-4, 1e-5), torch.float16: (4e-3, 3e-3)}


def make_inputs(case, device):
    """q, k and v are views of one projection: heads are strided."""
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["batch"], case["positions"], 3, case["heads"], case["size"])
    projected = torch.randn(shape, generator=generator).to(device, case["dtype"])
    return *projected.permute(2, 0, 3, 1, 4).unbind(0), case["causal"]
