"""Entries that lack what an entry must have."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test
from tests.hostile.zoo.edits import stores

CANNOT_BE_IMPORTED = Kind(
    "The module triton_code cannot be imported.",
    outcome=Outcome("failed error", "contract own-test"),
    variants=(
        Variant(
            "syntax-error", edits=(in_kernel("def vector_add(x, y):", "def vector_add(x, y:"),)
        ),
        Variant(
            "missing-package", outcome=Outcome("failed error unsupported", "contract own-test")
        ),
    ),
)

DOES_NOT_COMPILE = Kind(
    "The kernel uses a name that nothing defines.",
    outcome=Outcome("failed error", "own-test values"),
    variants=(Variant("unknown-name", edits=(stores("(x + plus_one(y))"),)),),
)

NO_ENTRY_POINT = Kind(
    "The module triton_code lacks the function that the entry names.",
    outcome=Outcome("failed error", "contract own-test"),
    variants=(Variant("deleted"),),
)

NO_MAKE_INPUTS = Kind(
    "The test makes inputs itself and offers no make_inputs.",
    outcome=Outcome("failed error unsupported", "contract"),
    variants=(
        Variant(
            "renamed",
            edits=(
                in_test("def make_inputs(case, device)", "def fresh(case, device)"),
                in_test("make_inputs(case, DEVICE)", "fresh(case, DEVICE)"),
            ),
        ),
    ),
)
