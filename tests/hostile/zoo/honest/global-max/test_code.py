CASES = [
    {"n": 1, "dtype": torch.float32, "step": 1, "nan": False, "seed": 0},
    {"n": 127, "dtype": torch.float32, "step": 2, "nan": False, "seed": 1},
    {"n": 3000, "dtype": torch.float32, "step": 1, "nan": True, "seed": 2},
    {"n": 700, "dtype": torch.int32, "step": 1, "nan": False, "seed": 3},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.int32: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = 1000 * torch.randn(case["n"] * case["step"], generator=generator)
    if case["nan"]:
        x[x.numel() // 2] = float("nan")
    return (x.to(device, case["dtype"])[:: case["step"]],)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
