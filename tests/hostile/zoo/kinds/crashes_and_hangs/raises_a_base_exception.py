"""The launcher raises an exception that `except Exception` does not catch."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed", "own-test values"),
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
