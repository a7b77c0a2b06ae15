"""The launcher raises an exception that `except Exception` does not catch."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
        caught_by={Check.OWN_TEST, Check.VALUES},
    ),
    variants=(
        Variant(
            name="keyboard-interrupt",
            launcher=("raises_a_base_exception",),
            words={"EXCEPTION": "KeyboardInterrupt"},
        ),
        Variant(
            name="system-exit",
            launcher=("raises_a_base_exception",),
            words={"EXCEPTION": "SystemExit(0)"},
        ),
    ),
)
