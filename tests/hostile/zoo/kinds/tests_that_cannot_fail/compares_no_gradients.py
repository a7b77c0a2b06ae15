"""The test computes gradients and does not compare them all."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="none",
            base="gelu",
            edits=(
                in_test("    return out, gradient", "    return out, gradient.shape"),
                in_test(
                    "    for expected, actual in pairs:",
                    (
                        "    (expected, actual), (shape, other) = pairs\n"
                        "    assert shape == other\n"
                        "    for expected, actual in [(expected, actual)]:"
                    ),
                ),
            ),
        ),
        Variant(
            name="one-of-three",
            base="layer-norm",
            edits=(
                in_test(
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return out, torch.autograd.grad(out, leaves, weight.to(out.dtype))[0]",
                ),
            ),
        ),
    ),
)
