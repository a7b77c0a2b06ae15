CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.float32, "seed": 0},
    {"m": 37, "n": 53, "k": 71, "dtype": torch.float32, "seed": 1},
    {"m": 100, "n": 70, "k": 130, "dtype": torch.float32, "seed": 2},
]
# tf32 keeps ten bits
TOLERANCE = {torch.float32: (1e-2, 5e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    a = torch.randn(case["m"], case["k"])
    b = torch.randn(case["n"], case["k"]).t()
    return a.to(device), b.to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=rtol, atol=atol)
