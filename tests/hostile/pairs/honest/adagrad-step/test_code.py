CASES = [
    {"n": 1, "lr": 0.01, "weight_decay": 0.0, "dtype": torch.float32, "seed": 0},
    {"n": 769, "lr": 0.1, "weight_decay": 0.01, "dtype": torch.float32, "seed": 1},
    {"n": 2048, "lr": 0.003, "weight_decay": 0.1, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    param, grad = (torch.randn(case["n"]).to(device) for _ in range(2))
    state = torch.rand(case["n"]).to(device)
    return param, grad, state, case["lr"], 1e-10, case["weight_decay"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    mine = make_inputs(case, DEVICE)
    theirs = make_inputs(case, DEVICE)
    assert candidate(*mine) is None
    assert reference(*theirs) is None
    torch.testing.assert_close(mine[0], theirs[0], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(mine[2], theirs[2], rtol=1e-5, atol=1e-6)
