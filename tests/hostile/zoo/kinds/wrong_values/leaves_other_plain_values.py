"""The launcher leaves other plain values in its arguments than the reference does."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

COUNTS = """    state["step"] += 1
    weight, grad"""

KIND = Kind(
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            name="step-not-counted",
            base="counted-steps",
            edits=(
                in_kernel(COUNTS, "    weight, grad"),
                in_kernel('state["step"] / 10', '(state["step"] + 1) / 10'),
            ),
        ),
        Variant(
            name="another-key",
            base="counted-steps",
            edits=(in_kernel(COUNTS, f'    state["seen"] = True\n{COUNTS}'),),
        ),
    ),
)
