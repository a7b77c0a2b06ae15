"""The launcher returns another dtype, shape or device than the reference, and the test hides it."""

from tests.hostile.zoo.catalog import Kind, Needs, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed vacuous", "values memory"),
    variants=(
        Variant(
            name="float32",
            edits=(
                in_kernel("dtype=x.dtype", "dtype=torch.float32"),
                in_test(
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual.float(), expected.float(),",
                ),
            ),
            outcome=Outcome("failed vacuous", "values memory test-can-fail"),
        ),
        Variant(
            name="extra-dimension",
            edits=(
                in_kernel("    return out", "    return out[None]"),
                in_test("    assert actual.shape == expected.shape\n", ""),
            ),
        ),
        Variant(
            name="cpu",
            edits=(
                in_kernel("    return out", "    return out.cpu()"),
                in_test(
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
                in_kernel("torch.zeros((), dtype", "torch.zeros((1,), dtype"),
                in_test("    assert actual.shape == expected.shape\n", ""),
            ),
        ),
    ),
)
