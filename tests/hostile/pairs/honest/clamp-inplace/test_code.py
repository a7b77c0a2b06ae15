CASES = [
    {"shape": (1,), "scale": 2.0, "limit": 1.0, "dtype": torch.float32, "seed": 0},
    {"shape": (13, 31), "scale": 0.7, "limit": 0.5, "dtype": torch.float32, "seed": 1},
    {"shape": (4, 9, 101), "scale": -1.5, "limit": 2.0, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["shape"], device=device), case["scale"], case["limit"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, scale, limit = make_inputs(case, DEVICE)
    y = x.clone()
    out = candidate(y, scale, limit)
    assert out.data_ptr() == y.data_ptr()
    assert torch.equal(y, reference(x.clone(), scale, limit))
