CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.float16, "seed": 0},
    {"m": 3, "n": 50, "k": 67, "dtype": torch.float16, "seed": 1},
    {"m": 33, "n": 96, "k": 256, "dtype": torch.float16, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["m"], case["k"]).to(device, case["dtype"])
    q = torch.randint(-128, 128, (case["n"], case["k"]), dtype=torch.int8).to(device)
    s = (torch.rand(case["n"]) / 100 + 1e-3).to(device, case["dtype"])
    return x, q, s


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    want, got = reference(*args).float(), candidate(*args).float()
    assert (got - want).norm() / want.norm() < 5e-3
