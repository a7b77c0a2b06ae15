"""The test makes inputs itself and offers no make_inputs."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.UNSUPPORTED}, caught_by={Check.CONTRACT}
    ),
    variants=(
        Variant(
            name="renamed",
            edits=(
                Edit("test_code", "def make_inputs(case, device)", "def fresh(case, device)"),
                Edit("test_code", "make_inputs(case, DEVICE)", "fresh(case, DEVICE)"),
            ),
        ),
    ),
)
