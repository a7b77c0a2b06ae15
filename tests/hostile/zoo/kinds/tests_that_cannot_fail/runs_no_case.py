"""Pytest runs no case of the test."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS, Verdict.UNSUPPORTED},
        caught_by={Check.CONTRACT, Check.OWN_TEST, Check.TEST_CAN_FAIL},
    ),
    variants=(
        Variant(name="no-cases", edits=(before_the_test("CASES = []"),)),
        Variant(
            name="skipped",
            edits=(
                Edit(
                    "test_code",
                    "@pytest.mark.parametrize",
                    ('@pytest.mark.skip(reason="slow")\n@pytest.mark.parametrize'),
                ),
            ),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.VACUOUS, Verdict.UNSUPPORTED},
                caught_by={Check.OWN_TEST, Check.TEST_CAN_FAIL},
            ),
        ),
        Variant(
            name="missing-module",
            edits=(
                Edit(
                    "test_code",
                    "import torch\n",
                    ("import torch\n\npytest.importorskip('a_module_of_our_cluster')\n"),
                ),
            ),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS, Verdict.UNSUPPORTED},
                caught_by={Check.OWN_TEST, Check.TEST_CAN_FAIL},
            ),
        ),
        Variant(
            name="not-collected",
            edits=(Edit("test_code", "def test_equivalence", "def check_equivalence"),),
        ),
    ),
)
