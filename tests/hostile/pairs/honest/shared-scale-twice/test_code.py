CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 4, "cols": 43, "dtype": torch.float32, "seed": 1},
    {"rows": 6, "cols": 200, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["rows"], case["cols"]).to(device), torch.randn(case["cols"]).to(device)


def run(fn, case):
    x, w = (t.requires_grad_() for t in make_inputs(case, DEVICE))
    y = fn(x, w)
    return (y, *torch.autograd.grad(y.square().sum(), (x, w)))


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    for want, got in zip(run(reference, case), run(candidate, case)):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
