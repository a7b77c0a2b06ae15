"""The reference calls the candidate."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("failed error not_triton vacuous", "contract values test-can-fail"),
    variants=(
        Variant(
            name="import",
            edits=(
                in_reference("return x + y", "return __import__('triton_code').vector_add(x, y)"),
                stores("(x - y)"),
            ),
        ),
    ),
)
