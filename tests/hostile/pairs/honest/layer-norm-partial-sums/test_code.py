CASES = [
    {"B": 2, "T": 4, "hidden": 64, "dtype": torch.float32, "seed": 0},
    {"B": 3, "T": 3, "hidden": 41, "dtype": torch.float32, "seed": 1},
    {"B": 1, "T": 5, "hidden": 128, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-4, 1e-4)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["B"], case["T"], case["hidden"], device=device, dtype=case["dtype"])
    w = torch.randn(case["hidden"], device=device, dtype=case["dtype"])
    b = torch.randn(case["hidden"], device=device, dtype=case["dtype"])
    return x, w, b


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    rtol, atol = TOLERANCE[case["dtype"]]
    outs = []
    for fn in (reference, candidate):
        x, w, b = (t.requires_grad_(True) for t in make_inputs(case, DEVICE))
        y = fn(x, w, b)
        torch.manual_seed(99)
        y.backward(torch.randn_like(y))
        outs.append((y, x.grad, w.grad, b.grad))
    for r, c in zip(*outs):
        torch.testing.assert_close(c, r, rtol=rtol, atol=atol)
