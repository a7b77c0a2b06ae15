CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 997, "dtype": torch.float32, "seed": 1},
    {"n": 8192, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["n"]).to(device), torch.randn(case["n"]).to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, y = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(x, y), reference(x, y), rtol=1e-5, atol=1e-6)
