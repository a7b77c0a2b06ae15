"""The test asserts nothing about the answers."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import asserts

KIND = Kind(
    outcome=Outcome(expected={Verdict.VACUOUS}, caught_by={Check.TEST_CAN_FAIL}),
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
