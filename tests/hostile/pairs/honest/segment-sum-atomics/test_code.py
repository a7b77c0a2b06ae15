CASES = [
    {"n": 1, "dim": 1, "segments": 1, "dtype": torch.float32, "seed": 0},
    {"n": 101, "dim": 19, "segments": 7, "dtype": torch.float32, "seed": 1},
    {"n": 256, "dim": 64, "segments": 40, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    src = torch.randn(case["n"], case["dim"])
    index = torch.randint(0, case["segments"], (case["n"],))
    return src.to(device), index.to(device), case["segments"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=1e-4, atol=1e-4)
