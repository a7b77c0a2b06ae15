"""The launcher is right only in a process that looks like a judge."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(expected={Verdict.FAILED}, caught_by={Check.VALUES, Check.VARIATIONS}),
    variants=(
        Variant(
            name="pytest",
            how="It asks for a variable that pytest sets while a test runs.",
            launcher=("right_only_where_it_is_judged_pytest",),
        ),
        Variant(
            name="harness",
            how="It searches modules, environment and ancestors for names of a harness.",
            launcher=("right_only_where_it_is_judged_harness",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON},
                caught_by={Check.OWN_TEST, Check.VALUES},
            ),
        ),
    ),
)
