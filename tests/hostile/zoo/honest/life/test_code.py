FIXED = ("steps",)
CASES = [
    {"field": (1, 1), "steps": 1, "dtype": torch.bool, "seed": 0},
    {"field": (13, 7), "steps": 2, "dtype": torch.bool, "seed": 1},
    {"field": (19, 20), "steps": 1, "dtype": torch.bool, "seed": 2},
]
TOLERANCE = {torch.bool: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    cells = torch.rand(case["field"], generator=generator) < 0.4
    return cells.to(device, case["dtype"]).t(), case["steps"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    assert torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)
