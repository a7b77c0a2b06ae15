CASES = [
    {"n": 1, "vocab": 1, "dtype": torch.float32, "seed": 0},
    {"n": 8, "vocab": 101, "dtype": torch.float32, "seed": 1},
    {"n": 19, "vocab": 1000, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    logits = torch.randn(case["n"], case["vocab"], dtype=case["dtype"]) * 3
    target = torch.randint(0, case["vocab"], (case["n"],))
    return logits.to(device), target.to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    logits, target = make_inputs(case, DEVICE)
    torch.testing.assert_close(
        candidate(logits, target), reference(logits, target), rtol=1e-4, atol=1e-5
    )
