"""CASES is a list of ten million cases."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import before_the_test

KIND = Kind(
    outcome=Outcome(
        expected={
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.TIMEOUT,
            Verdict.CRASHED,
            Verdict.UNSUPPORTED,
        },
        caught_by={Check.CONTRACT, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="ten-million",
            edits=(before_the_test("CASES = CASES * 2_000_000"),),
            dangers={Danger.HANGS, Danger.MEMORY},
        ),
    ),
)
