@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[expected.dtype]
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    assert torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)
