CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 97, "dtype": torch.float32, "seed": 1},
    {"n": 1500, "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.float16: (2e-3, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["n"], generator=generator).to(device, case["dtype"])
    return {"x": x, "high": 1.25, "low": -0.75, "factor": 1.5, "device": torch.device(device)}


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(**inputs), candidate(**inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
