"""The reference calls the candidate."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed error not_triton vacuous", "contract values test-can-fail"),
    variants=(
        Variant(
            name="import",
            edits=(
                Edit(
                    "python_code",
                    "return x + y",
                    "return __import__('triton_code').vector_add(x, y)",
                ),
                stores("(x - y)"),
            ),
        ),
    ),
)
