"""The kernel reads its input as contiguous, and the test has contiguous inputs only."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            name="vector",
            edits=(
                in_kernel("offsets * x_stride", "offsets"),
                in_test('"step": 2', '"step": 1'),
                in_test('"step": 3', '"step": 1'),
            ),
        ),
        Variant(
            name="list-of-vectors",
            base="concatenate",
            edits=(in_kernel("offsets * stride", "offsets"), in_test('"step": 3', '"step": 1')),
        ),
        Variant(
            name="maximum",
            base="global-max",
            edits=(
                in_kernel("offsets.to(tl.int64) * stride", "offsets"),
                in_test('"step": 2', '"step": 1'),
            ),
        ),
        Variant(
            name="of-the-gradient",
            base="gelu",
            edits=(in_kernel("grad.contiguous()", "grad"),),
            how="Of the gradient that flows into the output.",
        ),
    ),
)
