CASES = [
    {"n": 1, "nesterov": False, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 127, "nesterov": True, "dtype": torch.float32, "step": 2, "seed": 1},
    {"n": 1500, "nesterov": True, "dtype": torch.bfloat16, "step": 1, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (8e-3, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    weight, momentum = torch.randn(2, case["n"], generator=generator).to(device)
    grad = torch.randn(case["n"] * case["step"], generator=generator)[:: case["step"]]
    weight, grad = weight.to(case["dtype"]), grad.to(device, case["dtype"])
    return weight, grad, momentum, 0.1, case["nesterov"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    for expected, actual in zip(reference(*inputs), candidate(*inputs), strict=True):
        rtol, atol = TOLERANCE[expected.dtype]
        assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
