"""The kernel reads outside its input."""

from tests.hostile.zoo.catalog import Kind, Needs, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed error crashed", "bounds"),
    variants=(
        Variant(
            name="one",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets + 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome("failed error crashed", "values bounds"),
        ),
        Variant(
            name="block",
            how="Nothing of what it reads reaches the output.",
            edits=(
                in_kernel(
                    "y = tl.load(y_ptr + offsets * y_stride, mask=mask)",
                    "y = tl.load(y_ptr + offsets * y_stride)",
                ),
            ),
            needs=Needs.INTERPRETER,
            needs_because="A GPU shows it in compute-sanitizer only.",
            outcome=Outcome("failed error crashed", "own-test bounds containment"),
        ),
        Variant(
            name="one-before",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets - 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome("failed error crashed", "values bounds"),
        ),
    ),
)
