CASES = [
    {"n": 1, "threshold": -10.0, "dtype": torch.float32, "seed": 0},
    {"n": 541, "threshold": 0.0, "dtype": torch.float32, "seed": 1},
    {"n": 3000, "threshold": 0.9, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["n"]).to(device), case["threshold"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, t = make_inputs(case, DEVICE)
    want, got = reference(x, t), candidate(x, t)
    assert want.shape == got.shape
    assert torch.equal(want, got)
