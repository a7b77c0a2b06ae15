"""Pytest runs no case of the test."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome("failed error vacuous unsupported", "contract own-test test-can-fail"),
    variants=(
        Variant(name="no-cases", edits=(before_the_test("CASES = []"),)),
        Variant(
            name="skipped",
            edits=(
                in_test(
                    "@pytest.mark.parametrize",
                    ('@pytest.mark.skip(reason="slow")\n@pytest.mark.parametrize'),
                ),
            ),
            outcome=Outcome("failed vacuous unsupported", "own-test test-can-fail"),
        ),
        Variant(
            name="missing-module",
            edits=(
                in_test(
                    "import torch\n",
                    ("import torch\n\npytest.importorskip('a_module_of_our_cluster')\n"),
                ),
            ),
            outcome=Outcome("failed error vacuous unsupported", "own-test test-can-fail"),
        ),
        Variant(
            name="not-collected", edits=(in_test("def test_equivalence", "def check_equivalence"),)
        ),
    ),
)
