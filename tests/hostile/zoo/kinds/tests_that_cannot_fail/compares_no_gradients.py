"""The test computes gradients and does not compare them all."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="none",
            base="gelu",
            edits=(
                Edit("test_code", "    return out, gradient", "    return out, gradient.shape"),
                Edit(
                    "test_code",
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
                Edit(
                    "test_code",
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return out, torch.autograd.grad(out, leaves, weight.to(out.dtype))[0]",
                ),
            ),
        ),
    ),
)
