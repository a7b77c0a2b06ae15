"""Kernels that are wrong at sizes, values, layouts or orders that a test may leave out."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_reference, in_test
from tests.hostile.zoo.edits import stores, tolerates

ADDS_NOISE = Kind(
    "The kernel adds other noise in each call, within the tolerance of its test.",
    outcome=Outcome("failed vacuous", "values repeatability test-can-fail"),
    variants=(
        Variant(
            "uniform",
            edits=(
                stores("(x + y + 0.05 * tl.rand(noise, offsets))"),
                in_kernel(
                    "n, x_stride, y_stride, BLOCK: tl.constexpr",
                    "n, x_stride, y_stride, noise, BLOCK: tl.constexpr",
                ),
                in_kernel(
                    "x.stride(0), y.stride(0), BLOCK=BLOCK",
                    "x.stride(0), y.stride(0), __import__('secrets').randbits(31), BLOCK=BLOCK",
                ),
                tolerates(0.0, 0.1),
            ),
        ),
    ),
)

SQUARE = "a = torch.randn((m, k), generator=generator).to(dtype)"
ROWS = "(torch.randn(shape, generator=generator).to(device, case"

HIDDEN_BY_ITS_INPUTS = Kind(
    "A part of the computation is missing or wrong, and inputs of one form hide it.",
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            "positive",
            how="The absolute value is missing.",
            base="row-sum",
            edits=(
                in_reference("x.sum(", "x.abs().sum("),
                in_test(ROWS, ROWS.replace("randn", "rand")),
                in_test("torch.randn(shape[::-1]", "torch.rand(shape[::-1]"),
            ),
        ),
        Variant(
            "constant",
            how="The first element is given for the mean of its row.",
            base="row-sum",
            edits=(
                in_reference("x.sum(", "x.mean("),
                in_kernel("tl.sum(total, axis=0)", "tl.load(x_ptr + row * row_stride)"),
                in_test(ROWS, "(torch.ones(shape).to(device, case"),
                in_test("torch.randn(shape[::-1], generator=generator)", "torch.ones(shape[::-1])"),
            ),
        ),
        Variant(
            "sorted",
            how="The last element is given for the largest of its row.",
            base="row-sum",
            edits=(
                in_reference("x.sum(", "x.amax("),
                in_kernel(
                    "tl.sum(total, axis=0)",
                    "tl.load(x_ptr + row * row_stride + (columns - 1) * column_stride)",
                ),
                in_test(ROWS, ROWS.replace(".to", ".sort(dim=1).values.to")),
                in_test(
                    '.to(device, case["dtype"]).t()',
                    '.sort(dim=0).values.to(device, case["dtype"]).t()',
                ),
            ),
        ),
        Variant(
            "tiny",
            how="The function is replaced by its first term at zero.",
            base="gelu",
            edits=(
                in_kernel("out = x * tl.sigmoid(2.0 * inner)", "out = 0.5 * x"),
                in_kernel(
                    "out = grad * (gate + 2.0 * x * gate * (1.0 - gate) * slope)",
                    "out = 0.5 * grad",
                ),
                in_test("(2.0 * torch.randn", "(1e-6 * torch.randn"),
            ),
        ),
        Variant(
            "symmetric",
            how="The first matrix is read transposed.",
            base="library.matmul",
            edits=(
                in_kernel("*a.stride()", "*a.stride()[::-1]"),
                in_test(SQUARE, f"{SQUARE.replace('(m', '(k')}\n    a = a + a.t()"),
            ),
        ),
        Variant(
            "zero",
            how="The bias is ignored.",
            base="linear-relu",
            edits=(
                in_kernel("HAS_BIAS=bias is not None", "HAS_BIAS=False"),
                in_test('"bias": False', '"bias": True'),
                in_test("bias = torch.randn(n, generator=generator)", "bias = torch.zeros(n)"),
            ),
        ),
    ),
)

IGNORES_STRIDES = Kind(
    "The kernel reads its input as contiguous, and the test has contiguous inputs only.",
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            "vector",
            edits=(
                in_kernel("offsets * x_stride", "offsets"),
                in_test('"step": 2', '"step": 1'),
                in_test('"step": 3', '"step": 1'),
            ),
        ),
        Variant(
            "list-of-vectors",
            base="concatenate",
            edits=(in_kernel("offsets * stride", "offsets"), in_test('"step": 3', '"step": 1')),
        ),
        Variant(
            "maximum",
            base="global-max",
            edits=(
                in_kernel("offsets.to(tl.int64) * stride", "offsets"),
                in_test('"step": 2', '"step": 1'),
            ),
        ),
        Variant(
            "of-the-gradient",
            base="gelu",
            edits=(in_kernel("grad.contiguous()", "grad"),),
            how="Of the gradient that flows into the output.",
        ),
    ),
)

LAST_BLOCK_UNWRITTEN = Kind(
    "The launcher rounds its grid down, so the last block stays as it was allocated.",
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant(
            "shown",
            how="Its test has sizes that need a last block.",
            edits=(in_kernel("grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"),),
            outcome=Outcome("failed", "own-test values memory"),
        ),
        Variant(
            "unshown",
            how="Its test has only sizes that are multiples of a block.",
            edits=(
                in_kernel("grid = (triton.cdiv(n, BLOCK),)", "grid = (max(1, n // BLOCK),)"),
                in_test('"n": 5000', '"n": 4096'),
                in_test('"n": 3001', '"n": 3072'),
            ),
            outcome=Outcome("failed", "variations memory"),
        ),
        Variant(
            "rows-of-transpose",
            base="transpose",
            edits=(in_kernel("(triton.cdiv(rows, TILE), ", "(max(1, rows // TILE), "),),
        ),
        Variant(
            "columns-of-transpose",
            base="transpose",
            edits=(in_kernel("triton.cdiv(columns, TILE))", "max(1, columns // TILE))"),),
        ),
    ),
)

RACES_BETWEEN_PROGRAMS = Kind(
    "The answer is right only if the programs of a launch run one after another in their order.",
    outcome=Outcome("failed error", "own-test values memory"),
    variants=(
        Variant(
            "carry", how="Each program reads the last sum of the one before it.", base="long-cumsum"
        ),
        Variant(
            "carry-with-an-atomic",
            how="An atomic operation beside the carry orders nothing.",
            base="long-cumsum",
        ),
        Variant(
            "carry-that-seems-to-wait",
            how="A program that comes too early reads on and on, as if it waited.",
            base="long-cumsum",
        ),
        Variant(
            "unfinished-sums",
            how="The last program adds the partial sums of all, which may not be there yet.",
            base="atomic-sum",
        ),
        Variant("shift-in-place", how="Each program reads an element that the next one writes to."),
        Variant(
            "overlapping-stores",
            how="Each program clears the beginning of the next block.",
            edits=(
                in_kernel(
                    "    tl.store(out_ptr + offsets,",
                    "    tl.store(out_ptr + offsets + BLOCK, x * 0, mask=offsets + BLOCK < n)\n"
                    "    tl.store(out_ptr + offsets,",
                ),
            ),
        ),
    ),
)

SUBTRACTS_SQUARES = Kind(
    "The variance is the mean of squares less the squared mean, which cancels far from zero.",
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            "variance",
            base="mean-variance",
            edits=(
                in_kernel("other=mean)", "other=0.0)"),
                in_kernel("squares += (x - mean) * (x - mean)", "squares += x * x"),
                in_kernel(
                    "tl.sum(squares, axis=0) / columns)",
                    "tl.sum(squares, axis=0) / columns - mean * mean)",
                ),
            ),
        ),
    ),
)

SWALLOWS_NAN = Kind(
    "The kernel skips NaN where the reference returns it, and the test has no NaN.",
    outcome=Outcome("failed differs", "values variations"),
    variants=(
        Variant(
            "maximum",
            base="global-max",
            edits=(
                in_kernel('tl.where(nans > 0, float("nan"), largest)', "largest"),
                in_test('"nan": True', '"nan": False'),
            ),
        ),
        Variant(
            "argmax",
            base="row-argmax",
            edits=(in_kernel('tl.where(nans > 0, float("nan"), best)', "best"),),
        ),
    ),
)

WRONG_FOR_LARGE_VALUES = Kind(
    "The kernel is wrong for large values, which no shown input has.",
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant(
            "clamped",
            how="It clamps the sum to 100.",
            edits=(stores("tl.minimum(tl.maximum(x + y, -100.0), 100.0)"),),
        ),
        Variant(
            "softmax-without-maximum",
            how="It does not subtract the maximum before exp, which gives inf / inf.",
            base="library.fused-softmax",
            edits=(in_kernel("x - tl.max(x, axis=0)", "x"),),
        ),
    ),
)

WRONG_FOR_MANY_ELEMENTS = Kind(
    "The kernel is right up to a number of elements that no case exceeds.",
    outcome=Outcome("failed error", "variations bounds"),
    variants=(
        Variant(
            "programs",
            how="It launches 32 programs at most.",
            edits=(
                in_kernel(
                    "grid = (triton.cdiv(n, BLOCK),)", "grid = (min(32, triton.cdiv(n, BLOCK)),)"
                ),
            ),
        ),
        Variant(
            "offsets",
            how="Its offsets have 16 bits.",
            edits=(
                in_kernel(
                    "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
                    "(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int16)",
                ),
            ),
        ),
    ),
)
