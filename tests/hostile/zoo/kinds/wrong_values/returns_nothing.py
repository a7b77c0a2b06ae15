"""The launcher returns None, and the test compares only what is not None."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import asserts

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.VACUOUS},
        caught_by={Check.VALUES},
    ),
    variants=(
        Variant(
            name="none",
            edits=(
                asserts(
                    "if actual is not None:\n"
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)"
                ),
            ),
            launcher=("returns_nothing",),
        ),
    ),
)
