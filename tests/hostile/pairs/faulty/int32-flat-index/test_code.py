CASES = [
    {"n": 1, "row_length": 10, "dtype": torch.int64, "seed": 0},
    {"n": 307, "row_length": 100, "dtype": torch.int64, "seed": 1},
    {"n": 1024, "row_length": 4099, "dtype": torch.int64, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    rows = torch.randint(0, 1000, (case["n"],))
    cols = torch.randint(0, case["row_length"], (case["n"],))
    return rows.to(device), cols.to(device), case["row_length"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    assert torch.equal(candidate(*args), reference(*args))
