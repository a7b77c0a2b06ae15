@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    for expected, actual in zip(reference(*inputs), candidate(*inputs), strict=True):
        rtol, atol = TOLERANCE[expected.dtype]
        assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
        assert torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)
