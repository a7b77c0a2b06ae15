"""The launcher raises an error that harms the process which prints it."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="exits", launcher=("hostile_error_exits",)),
        Variant(
            name="one-gigabyte",
            launcher=("hostile_error_one_gigabyte",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
                caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
            ),
            dangers={Danger.MEMORY, Danger.HANGS},
        ),
    ),
)
