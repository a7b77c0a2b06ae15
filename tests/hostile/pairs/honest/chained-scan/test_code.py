CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 300, "dtype": torch.float32, "seed": 1},
    {"n": 1021, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], dtype=case["dtype"]).to(device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=1e-5, atol=1e-4)
