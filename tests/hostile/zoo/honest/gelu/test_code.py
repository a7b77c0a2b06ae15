CASES = [
    {"shape": (1,), "dtype": torch.float32, "transposed": False, "seed": 0},
    {"shape": (7, 13), "dtype": torch.float32, "transposed": True, "seed": 1},
    {"shape": (3, 5, 67), "dtype": torch.float32, "transposed": False, "seed": 2},
    {"shape": (2, 999), "dtype": torch.bfloat16, "transposed": False, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.bfloat16: (1.6e-2, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = (2.0 * torch.randn(case["shape"], generator=generator)).to(device, case["dtype"])
    return (x.transpose(0, -1) if case["transposed"] else x,)


def output_and_gradient(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    weight = torch.linspace(-1, 1, out.numel(), device=x.device).reshape(out.shape).to(out.dtype)
    (gradient,) = torch.autograd.grad(out, x, weight)
    return out, gradient


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    pairs = zip(output_and_gradient(reference, x), output_and_gradient(candidate, x), strict=True)
    for expected, actual in pairs:
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
