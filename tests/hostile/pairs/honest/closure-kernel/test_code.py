CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 1009, "dtype": torch.float32, "seed": 1},
    {"n": 4096, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return [torch.randn(case["n"], device=device, dtype=case["dtype"])]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    for want, got in zip(reference(*inputs), candidate(*inputs)):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)
