FIXED = ("size",)
CASES = [
    {"positions": 1, "heads": 1, "size": 2, "dtype": torch.float32, "seed": 0},
    {"positions": 7, "heads": 3, "size": 34, "dtype": torch.float32, "seed": 1},
    {"positions": 13, "heads": 2, "size": 64, "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.float16: (2e-3, 4e-3)}


def make_inputs(case, device):
    """q and k are slices of one projection, as in a fused attention block."""
    generator = torch.Generator().manual_seed(case["seed"])
    positions, heads, size = case["positions"], case["heads"], case["size"]
    both = torch.randn(positions, 2, heads, size, generator=generator).to(device, case["dtype"])
    angles = torch.arange(positions)[:, None] / 100.0 ** (torch.arange(size // 2) / size)
    cos, sin = (f(angles).to(device, case["dtype"]) for f in (torch.cos, torch.sin))
    return both[:, 0], both[:, 1], cos, sin


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    for expected, actual in zip(reference(*inputs), candidate(*inputs), strict=True):
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
