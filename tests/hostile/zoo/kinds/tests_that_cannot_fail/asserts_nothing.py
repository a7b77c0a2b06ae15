"""The test asserts nothing about the answers."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import asserts

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="no-assertion",
            edits=(asserts("torch.allclose(actual, expected, rtol=rtol, atol=atol)"),),
        ),
        Variant(
            name="tuple",
            edits=(
                asserts(
                    "same = torch.allclose(actual, expected, rtol=rtol, atol=atol), 'differs'\n"
                    "assert same"
                ),
            ),
        ),
        Variant(
            name="returned",
            edits=(asserts("return torch.allclose(actual, expected, rtol=rtol, atol=atol)"),),
        ),
    ),
)
