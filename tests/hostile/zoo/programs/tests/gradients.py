def output_and_gradients(function, inputs):
    inputs = [x.detach().requires_grad_() if torch.is_tensor(x) else x for x in inputs]
    leaves = [x for x in inputs if torch.is_tensor(x)]
    out = function(*inputs)
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
