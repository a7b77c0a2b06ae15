"""Every case of the test is empty, so any answer is right."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="vectors", edits=(before_the_test('CASES = [{**case, "n": 0} for case in CASES]'),)
        ),
    ),
)
