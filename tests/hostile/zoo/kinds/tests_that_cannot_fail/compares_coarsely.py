"""The test accepts answers that are far apart."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import compares_by

KIND = Kind(
    outcome=Outcome("vacuous weak", "test-can-fail"),
    variants=(
        Variant(
            name="rounded",
            edits=(compares_by("(actual.round() - expected.round()).abs().max() <= 2"),),
        ),
        Variant(
            name="any-element",
            edits=(compares_by("torch.isclose(actual, expected, rtol=rtol, atol=atol).any()"),),
            outcome=Outcome("vacuous", "test-can-fail"),
        ),
    ),
)
