"""A part of the computation is missing or wrong, and inputs of one form hide it."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_reference, in_test

ROWS = "(torch.randn(shape, generator=generator).to(device, case"

KIND = Kind(
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            name="positive",
            how="The absolute value is missing.",
            base="row-sum",
            edits=(
                in_reference("x.sum(", "x.abs().sum("),
                in_test(ROWS, ROWS.replace("randn", "rand")),
                in_test("torch.randn(shape[::-1]", "torch.rand(shape[::-1]"),
            ),
        ),
        Variant(
            name="constant",
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
            name="sorted",
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
            name="tiny",
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
            name="symmetric",
            how="The matrix is read transposed.",
            base="matvec",
            edits=(
                in_kernel(
                    "matrix.stride(0), matrix.stride(1)", "matrix.stride(1), matrix.stride(0)"
                ),
                in_test('shape = (case["n"], case["m"])', 'shape = (case["n"], case["n"])'),
                in_test('else (case["m"], case["n"])', 'else (case["n"], case["n"])'),
                in_test('(matrix.t() if case["transposed"] else matrix)', "matrix + matrix.t()"),
            ),
        ),
        Variant(
            name="zero",
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
