CASES = [
    {"rows": 1, "classes": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 11, "classes": 37, "dtype": torch.float32, "seed": 1},
    {"rows": 70, "classes": 100, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    """Every third row but the first is left out of the mean."""
    generator = torch.Generator().manual_seed(case["seed"])
    rows, classes = case["rows"], case["classes"]
    logits = 3.0 * torch.randn(classes, rows, generator=generator).to(device, case["dtype"]).t()
    labels = torch.randint(0, classes, (rows,), generator=generator)
    labels[3::3] = -100
    return logits, labels.to(device)


def loss_and_gradient(function, logits, labels):
    logits = logits.detach().requires_grad_()
    loss = function(logits, labels)
    (gradient,) = torch.autograd.grad(3.0 * loss, logits)
    return loss, gradient


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    both = (loss_and_gradient(function, *inputs) for function in (reference, candidate))
    for expected, actual in zip(*both, strict=True):
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
