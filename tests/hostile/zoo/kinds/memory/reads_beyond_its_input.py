"""The kernel reads outside its input."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Needs, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED}, caught_by={Check.BOUNDS}
    ),
    variants=(
        Variant(
            name="one",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets + 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
                caught_by={Check.VALUES, Check.BOUNDS},
            ),
        ),
        Variant(
            name="block",
            how="Nothing of what it reads reaches the output.",
            edits=(
                Edit(
                    "triton_code",
                    "y = tl.load(y_ptr + offsets * y_stride, mask=mask)",
                    "y = tl.load(y_ptr + offsets * y_stride)",
                ),
            ),
            needs=Needs.INTERPRETER,
            needs_because="A GPU shows it in compute-sanitizer only.",
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
                caught_by={Check.OWN_TEST, Check.BOUNDS, Check.CONTAINMENT},
            ),
        ),
        Variant(
            name="one-before",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets - 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
                caught_by={Check.VALUES, Check.BOUNDS},
            ),
        ),
    ),
)
