CASES = [
    {"batch": 1, "longest": 1, "dim": 1, "fill": 0.0, "dtype": torch.float32, "seed": 0},
    {"batch": 4, "longest": 13, "dim": 37, "fill": -1.0, "dtype": torch.float32, "seed": 1},
    {"batch": 9, "longest": 40, "dim": 64, "fill": 0.5, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    lengths = torch.randint(1, case["longest"] + 1, (case["batch"],))
    offsets = torch.zeros(case["batch"] + 1, dtype=torch.int64)
    offsets[1:] = lengths.cumsum(0)
    values = torch.randn(int(offsets[-1]), case["dim"])
    return values.to(device), offsets.to(device), case["fill"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    assert torch.equal(candidate(*args), reference(*args))
