CASES = [
    {"shape": (1, 1), "step": 1, "lr": 0.01, "dtype": torch.float32, "seed": 0},
    {"shape": (17, 13), "step": 3, "lr": 0.01, "dtype": torch.float32, "seed": 1},
    {"shape": (9, 111), "step": 100, "lr": 0.001, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    rows, columns = case["shape"]
    weight, grad, mean = torch.randn(3, columns, rows, generator=generator).transpose(1, 2)
    square = torch.rand(columns, rows, generator=generator).t()
    tensors = (x.to(device, case["dtype"]) for x in (weight, grad, mean, square))
    return *tensors, case["step"], case["lr"], 0.1


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    for expected, actual in zip(reference(*inputs), candidate(*inputs), strict=True):
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
