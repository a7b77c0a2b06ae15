"""The module triton_code cannot be imported."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error", "contract own-test"),
    variants=(
        Variant(
            name="syntax-error",
            edits=(Edit("triton_code", "def vector_add(x, y):", "def vector_add(x, y:"),),
        ),
        Variant(
            name="missing-package",
            launcher=("cannot_be_imported_missing_package",),
            outcome=Outcome("failed error unsupported", "contract own-test"),
        ),
    ),
)
