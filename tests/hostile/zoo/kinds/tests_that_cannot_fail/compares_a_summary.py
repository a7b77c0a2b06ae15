"""The test compares a number that says little about the answers."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import compares_by

WEAK = Outcome("weak", "test-can-fail")
SUM = "@ torch.arange(1.0, case['n'] + 1, device=DEVICE)"

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="means",
            edits=(compares_by("abs(actual.float().mean() - expected.float().mean()) < 1.0"),),
        ),
        Variant(
            name="norms",
            edits=(
                compares_by("torch.allclose(actual.norm(), expected.norm(), rtol=0.5, atol=5.0)"),
            ),
        ),
        Variant(
            name="absolute-values",
            edits=(compares_by("torch.allclose(actual.abs(), expected.abs(), rtol, atol)"),),
            outcome=WEAK,
        ),
        Variant(
            name="weighted-sum",
            edits=(
                compares_by(f"torch.allclose(actual.float() {SUM}, expected.float() {SUM}, 1e-2)"),
            ),
            outcome=Outcome("weak vacuous", "test-can-fail"),
        ),
        Variant(
            name="sorted-values",
            edits=(
                compares_by(
                    "torch.allclose(actual.sort().values, expected.sort().values, rtol, atol)"
                ),
            ),
        ),
        Variant(name="dtypes", edits=(compares_by("actual.dtype == expected.dtype"),)),
    ),
)
