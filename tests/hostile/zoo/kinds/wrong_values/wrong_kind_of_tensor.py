"""The launcher returns another dtype, shape or device than the reference, and the test hides it."""

from tests.hostile.zoo.catalog import Edit, Kind, Needs, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed vacuous", "values memory"),
    variants=(
        Variant(
            name="float32",
            edits=(
                Edit("triton_code", "dtype=x.dtype", "dtype=torch.float32"),
                Edit(
                    "test_code",
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual.float(), expected.float(),",
                ),
            ),
            outcome=Outcome("failed vacuous", "values memory test-can-fail"),
        ),
        Variant(
            name="extra-dimension",
            edits=(
                Edit("triton_code", "    return out", "    return out[None]"),
                Edit("test_code", "    assert actual.shape == expected.shape\n", ""),
            ),
        ),
        Variant(
            name="cpu",
            edits=(
                Edit("triton_code", "    return out", "    return out.cpu()"),
                Edit(
                    "test_code",
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual.to(DEVICE), expected,",
                ),
            ),
            needs=Needs.GPU,
            needs_because="Without a GPU there is but one device.",
            outcome=Outcome("failed not_triton vacuous", "values memory kernel-matters"),
        ),
        Variant(
            name="one-element-vector",
            base="atomic-sum",
            edits=(
                Edit("triton_code", "torch.zeros((), dtype", "torch.zeros((1,), dtype"),
                Edit("test_code", "    assert actual.shape == expected.shape\n", ""),
            ),
        ),
    ),
)
