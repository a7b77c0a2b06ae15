CASES = [
    {"tokens": 1, "dim": 1, "dtype": torch.float32, "seed": 0},
    {"tokens": 11, "dim": 47, "dtype": torch.float32, "seed": 1},
    {"tokens": 8, "dim": 256, "dtype": torch.bfloat16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (2e-2, 2e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return tuple(
        torch.randn(case["tokens"], case["dim"]).to(device, case["dtype"]) for _ in range(2)
    )


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    rtol, atol = TOLERANCE[case["dtype"]]
    a1, b1 = (t.clone().requires_grad_() for t in make_inputs(case, DEVICE))
    a2, b2 = (t.clone().requires_grad_() for t in make_inputs(case, DEVICE))
    y1, y2 = reference(a1, b1), candidate(a2, b2)
    torch.testing.assert_close(y2, y1, rtol=rtol, atol=atol)
    dy = torch.randn_like(y1)
    y1.backward(dy)
    y2.backward(dy)
    torch.testing.assert_close(a2.grad, a1.grad, rtol=rtol, atol=atol)
    torch.testing.assert_close(b2.grad, b1.grad, rtol=rtol, atol=atol)
