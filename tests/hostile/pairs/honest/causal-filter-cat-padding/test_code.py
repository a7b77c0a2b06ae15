CASES = [
    {"batch": 1, "channels": 1, "time": 1, "taps": 1, "dtype": torch.float32, "seed": 0},
    {"batch": 2, "channels": 3, "time": 29, "taps": 4, "dtype": torch.float32, "seed": 1},
    {"batch": 1, "channels": 5, "time": 150, "taps": 7, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["batch"], case["channels"], case["time"], device=device)
    taps = torch.randn(case["channels"], case["taps"], device=device)
    return x, taps


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, taps = make_inputs(case, DEVICE)
    assert torch.allclose(reference(x, taps), candidate(x, taps), rtol=1e-4, atol=1e-4)
