"""The kernel writes whole blocks, past the end of its output at sizes that no case shows."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import before_the_test

STORE = "tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty)"


def _edits(first: int) -> tuple[Edit, Edit]:
    """Store without a mask, and show sizes of whole blocks from this one on."""
    cases = f"CASES = [{{**case, 'n': 1024 * case['seed'] + {first}}} for case in CASES]"
    return in_kernel(f"{STORE}, mask=mask)", f"{STORE})"), before_the_test(cases)


KIND = Kind(
    outcome=Outcome("failed error", "bounds variations"),
    variants=(
        Variant(name="manual", edits=_edits(1024)),
        Variant(
            name="real-code",
            how="It is real code, whose domain the grade of sizes names.",
            edits=_edits(2048),
            origin="real-world",
            outcome=Outcome("narrow", "variations"),
        ),
    ),
)
