"""The launcher patches torch so that the reference returns zeros, and writes zeros."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.VALUES}),
    variants=(
        Variant(name="patched-add", edits=(WRITES_ZEROS,), launcher=("poisons_the_reference",)),
    ),
)
