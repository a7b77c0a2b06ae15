def to_reference(inp, upcast=False):
    """Return the tensor, in double precision if `upcast`."""
    if inp is None:
        return None
    return inp.double() if upcast else inp


def gems_assert_close(res, ref, dtype, equal_nan=False, reduce_dim=1, atol=1e-4):
    torch.testing.assert_close(res, ref.to(dtype), atol=atol * reduce_dim, equal_nan=equal_nan)


def gems_assert_equal(res, ref, equal_nan=False):
    torch.testing.assert_close(res, ref, atol=0, rtol=0, equal_nan=equal_nan)
