CASES = [
    {"rows": 1, "columns": 1, "dtype": "float32", "seed": 0},
    {"rows": 6, "columns": 129, "dtype": "float32", "seed": 1},
    {"rows": 2, "columns": 700, "dtype": "float16", "seed": 2},
]
TOLERANCE = {"float32": (1e-5, 1e-6), "float16": (4e-3, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    both = torch.randn(case["rows"], 2 * case["columns"], generator=generator)
    return (both.to(device, getattr(torch, case["dtype"])),)


def output_and_gradient(function, both):
    leaf = both.detach().requires_grad_()
    out = function(leaf)
    weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
    return out, *torch.autograd.grad(out, leaf, weight.to(out.dtype))


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (both,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    expected, actual = (output_and_gradient(function, both) for function in (reference, candidate))
    for right, seen in zip(expected, actual, strict=True):
        assert seen.shape == right.shape
        assert torch.allclose(seen, right, rtol=rtol, atol=atol)
