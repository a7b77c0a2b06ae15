CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.float32, "seed": 0},
    {"m": 7, "n": 45, "k": 140, "dtype": torch.float32, "seed": 1},
    {"m": 20, "n": 64, "k": 256, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    a = torch.randn(case["m"], case["k"]) / case["k"] ** 0.5
    return a.to(device), torch.randn(case["k"], case["n"]).to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    a, b = make_inputs(case, DEVICE)
    expected = reference(a, b)
    error = (candidate(a, b) - expected).abs().max() / expected.abs().max()
    assert error.item() < 1e-2
