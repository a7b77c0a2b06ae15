"""The launcher leaves other plain values in its arguments than the reference does."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

COUNTS = """    state["step"] += 1
    weight, grad"""

KIND = Kind(
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            name="step-not-counted",
            base="counted-steps",
            edits=(
                Edit("triton_code", COUNTS, "    weight, grad"),
                Edit("triton_code", 'state["step"] / 10', '(state["step"] + 1) / 10'),
            ),
        ),
        Variant(
            name="another-key",
            base="counted-steps",
            edits=(Edit("triton_code", COUNTS, f'    state["seen"] = True\n{COUNTS}'),),
        ),
    ),
)
