"""The test makes inputs itself and offers no make_inputs."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error unsupported", "contract"),
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
