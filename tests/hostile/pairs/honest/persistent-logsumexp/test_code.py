CASES = [
    {"m": 1, "n": 1, "dtype": torch.float32, "seed": 0},
    {"m": 23, "n": 119, "dtype": torch.float32, "seed": 1},
    {"m": 140, "n": 64, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (5 * torch.randn(case["m"], case["n"], device=device, dtype=case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    assert torch.allclose(candidate(x), reference(x), rtol=1e-5, atol=1e-5)
