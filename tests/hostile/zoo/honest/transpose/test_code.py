CASES = [
    {"shape": (1, 1), "dtype": torch.float16, "sliced": False, "seed": 0},
    {"shape": (37, 53), "dtype": torch.float16, "sliced": True, "seed": 1},
    {"shape": (64, 90), "dtype": torch.int8, "sliced": False, "seed": 2},
]
TOLERANCE = {torch.float16: (0.0, 0.0), torch.int8: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    rows, columns = case["shape"]
    x = torch.randint(-100, 100, (rows, columns + 1), generator=generator)
    x = x.to(device, case["dtype"])
    return (x[:, 1:] if case["sliced"] else x[:, :-1].contiguous(),)
