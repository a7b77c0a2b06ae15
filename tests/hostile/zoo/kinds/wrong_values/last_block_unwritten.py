"""The launcher rounds its grid down, so the last block stays as it was allocated."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant(
            name="shown",
            how="Its test has sizes that need a last block.",
            edits=(in_kernel("grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"),),
            outcome=Outcome("failed", "own-test values memory"),
        ),
        Variant(
            name="unshown",
            how="Its test has only sizes that are multiples of a block.",
            edits=(
                in_kernel("grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"),
                in_test('"n": 5000', '"n": 4096'),
                in_test('"n": 3001', '"n": 3072'),
            ),
            outcome=Outcome("failed", "variations memory"),
        ),
        Variant(
            name="rows-of-transpose",
            base="transpose",
            edits=(in_kernel("(triton.cdiv(rows, TILE), ", "(max(1, rows // TILE), "),),
        ),
        Variant(
            name="columns-of-transpose",
            base="transpose",
            edits=(in_kernel("triton.cdiv(columns, TILE))", "max(1, columns // TILE))"),),
        ),
    ),
)
