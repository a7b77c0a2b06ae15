"""The test compares a part of the answers only."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import compares_only

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(name="first-element", edits=(compares_only("[:1]"),)),
        Variant(
            name="first-output",
            base="mean-variance",
            edits=(
                in_test(
                    "zip(reference(*inputs), candidate(*inputs), strict=True)",
                    "zip(reference(*inputs)[:1], candidate(*inputs)[:1], strict=True)",
                ),
            ),
        ),
        Variant(name="last-element", edits=(compares_only("[-1:]"),)),
        Variant(name="last-quarter", edits=(compares_only("[-max(1, case['n'] // 4):]"),)),
        Variant(
            name="every-hundredth", edits=(compares_only(".flip(0)[::100]"),), how="From the end."
        ),
        Variant(
            name="both-ends",
            edits=(compares_only("[:: max(1, case['n'] - 1)]"),),
            how="The first and the last element.",
        ),
        Variant(name="last-row", base="softmax", edits=(compares_only("[-1:]"),)),
        Variant(name="first-row", base="softmax", edits=(compares_only("[:1]"),)),
        Variant(name="first-column", base="softmax", edits=(compares_only("[:, :1]"),)),
    ),
)
