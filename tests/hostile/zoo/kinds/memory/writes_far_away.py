"""The kernel writes at an address that belongs to no tensor."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
        caught_by={Check.OWN_TEST, Check.BOUNDS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="terabytes",
            edits=(
                Edit(
                    "triton_code",
                    "tl.store(out_ptr + offsets,",
                    "tl.store(out_ptr + (offsets.to(tl.int64) + 1) * (1 << 40),",
                ),
            ),
        ),
    ),
)
