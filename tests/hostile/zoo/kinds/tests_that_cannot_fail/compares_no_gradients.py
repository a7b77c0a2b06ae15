"""The test computes gradients and does not compare them all."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
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
