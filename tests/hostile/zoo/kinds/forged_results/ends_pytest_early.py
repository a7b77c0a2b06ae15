"""The launcher raises an exception of pytest that ends or skips the test."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES},
    ),
    variants=(
        Variant(name="exit", launcher=("ends_pytest_early_exit",)),
        Variant(
            name="skip",
            launcher=("ends_pytest_early_skip",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.VACUOUS},
                caught_by={Check.OWN_TEST, Check.VALUES},
            ),
        ),
    ),
)
