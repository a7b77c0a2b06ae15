"""The kernel writes whole blocks, past the end of its output at sizes that no case shows."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import before_the_test

STORE = "tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty)"
EDITS = (
    Edit("triton_code", f"{STORE}, mask=mask)", f"{STORE})"),
    before_the_test("CASES = [{**case, 'n': 1024 * case['seed'] + 1024} for case in CASES]"),
)

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR}, caught_by={Check.BOUNDS, Check.VARIATIONS}
    ),
    variants=(
        Variant(name="manual", edits=EDITS),
        Variant(
            name="real-code",
            how="It is real code, whose domain the grade of sizes names.",
            edits=EDITS,
            origin="real-world:example/kernels",
            outcome=Outcome(expected={Verdict.NARROW}, caught_by={Check.VARIATIONS}),
        ),
    ),
)
