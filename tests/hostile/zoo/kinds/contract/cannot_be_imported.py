"""The module triton_code cannot be imported."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error", "contract own-test"),
    variants=(
        Variant(
            name="syntax-error", edits=(in_kernel("def vector_add(x, y):", "def vector_add(x, y:"),)
        ),
        Variant(
            name="missing-package",
            launcher=("cannot_be_imported_missing_package",),
            outcome=Outcome("failed error unsupported", "contract own-test"),
        ),
    ),
)
