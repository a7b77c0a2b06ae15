CASES = [
    {"rows": 1, "columns": 1, "dtype": "float32", "seed": 0},
    {"rows": 5, "columns": 127, "dtype": "float32", "seed": 1},
    {"rows": 3, "columns": 1000, "dtype": "float16", "seed": 2},
    {"rows": 17, "columns": 64, "dtype": "float16", "seed": 3},
]
TOLERANCE = {"float32": (1e-5, 1e-6), "float16": (4e-3, 1e-3)}


def make_inputs(case, device):
    """Gate and up are the halves of one projection, so neither is contiguous."""
    generator = torch.Generator().manual_seed(case["seed"])
    both = torch.randn(case["rows"], 2 * case["columns"], generator=generator)
    return both.to(device, getattr(torch, case["dtype"])).chunk(2, dim=1)


def output_and_gradients(function, inputs):
    leaves = [x.detach().requires_grad_() for x in inputs]
    out = function(*leaves)
    weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
    return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    both = (output_and_gradients(function, inputs) for function in (reference, candidate))
    for expected, actual in zip(*both, strict=True):
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
