"""The launcher rounds its grid down, so the last block stays as it was allocated."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant(
            name="shown",
            how="Its test has sizes that need a last block.",
            edits=(
                Edit(
                    "triton_code", "grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"
                ),
            ),
            outcome=Outcome("failed", "own-test values memory"),
        ),
        Variant(
            name="unshown",
            how="Its test has only sizes that are multiples of a block.",
            edits=(
                Edit(
                    "triton_code", "grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"
                ),
                Edit("test_code", '"n": 5000', '"n": 4096'),
                Edit("test_code", '"n": 3001', '"n": 3072'),
            ),
            outcome=Outcome("failed", "variations memory"),
        ),
        Variant(
            name="rows-of-transpose",
            base="transpose",
            edits=(Edit("triton_code", "(triton.cdiv(rows, TILE), ", "(max(1, rows // TILE), "),),
        ),
        Variant(
            name="columns-of-transpose",
            base="transpose",
            edits=(Edit("triton_code", "triton.cdiv(columns, TILE))", "max(1, columns // TILE))"),),
        ),
    ),
)
