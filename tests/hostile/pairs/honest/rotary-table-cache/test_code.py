CASES = [
    {"heads": 1, "length": 1, "half": 1, "dtype": torch.float32, "seed": 0},
    {"heads": 3, "length": 11, "half": 12, "dtype": torch.float32, "seed": 1},
    {"heads": 2, "length": 16, "half": 32, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-4, 1e-4)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(2, case["heads"], case["length"], 2 * case["half"]).to(device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    # the second call reads the table of the first
    for _ in range(2):
        torch.testing.assert_close(candidate(x), reference(x), rtol=rtol, atol=atol)
