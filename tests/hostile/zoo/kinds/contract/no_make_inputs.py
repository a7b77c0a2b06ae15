"""The test makes inputs itself and offers no make_inputs."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("failed error unsupported", "contract"),
    variants=(
        Variant(
            name="renamed",
            edits=(
                in_test("def make_inputs(case, device)", "def fresh(case, device)"),
                in_test("make_inputs(case, DEVICE)", "fresh(case, DEVICE)"),
            ),
        ),
    ),
)
