"""A part of the computation is missing or wrong, and inputs of one form hide it."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

ROWS = "(torch.randn(shape, generator=generator).to(device, case"

KIND = Kind(
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            name="positive",
            how="The absolute value is missing.",
            base="row-sum",
            edits=(
                Edit("python_code", "x.sum(", "x.abs().sum("),
                Edit("test_code", ROWS, ROWS.replace("randn", "rand")),
                Edit("test_code", "torch.randn(shape[::-1]", "torch.rand(shape[::-1]"),
            ),
        ),
        Variant(
            name="constant",
            how="The first element is given for the mean of its row.",
            base="row-sum",
            edits=(
                Edit("python_code", "x.sum(", "x.mean("),
                Edit("triton_code", "tl.sum(total, axis=0)", "tl.load(x_ptr + row * row_stride)"),
                Edit("test_code", ROWS, "(torch.ones(shape).to(device, case"),
                Edit(
                    "test_code",
                    "torch.randn(shape[::-1], generator=generator)",
                    "torch.ones(shape[::-1])",
                ),
            ),
        ),
        Variant(
            name="sorted",
            how="The last element is given for the largest of its row.",
            base="row-sum",
            edits=(
                Edit("python_code", "x.sum(", "x.amax("),
                Edit(
                    "triton_code",
                    "tl.sum(total, axis=0)",
                    "tl.load(x_ptr + row * row_stride + (columns - 1) * column_stride)",
                ),
                Edit("test_code", ROWS, ROWS.replace(".to", ".sort(dim=1).values.to")),
                Edit(
                    "test_code",
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
                Edit("triton_code", "out = x * tl.sigmoid(2.0 * inner)", "out = 0.5 * x"),
                Edit(
                    "triton_code",
                    "out = grad * (gate + 2.0 * x * gate * (1.0 - gate) * slope)",
                    "out = 0.5 * grad",
                ),
                Edit("test_code", "(2.0 * torch.randn", "(1e-6 * torch.randn"),
            ),
        ),
        Variant(
            name="symmetric",
            how="The matrix is read transposed.",
            base="matvec",
            edits=(
                Edit(
                    "triton_code",
                    "matrix.stride(0), matrix.stride(1)",
                    "matrix.stride(1), matrix.stride(0)",
                ),
                Edit(
                    "test_code", 'shape = (case["n"], case["m"])', 'shape = (case["n"], case["n"])'
                ),
                Edit("test_code", 'else (case["m"], case["n"])', 'else (case["n"], case["n"])'),
                Edit(
                    "test_code",
                    '(matrix.t() if case["transposed"] else matrix)',
                    "matrix + matrix.t()",
                ),
            ),
        ),
        Variant(
            name="zero",
            how="The bias is ignored.",
            base="linear-relu",
            edits=(
                Edit("triton_code", "HAS_BIAS=bias is not None", "HAS_BIAS=False"),
                Edit("test_code", '"bias": False', '"bias": True'),
                Edit(
                    "test_code",
                    "bias = torch.randn(n, generator=generator)",
                    "bias = torch.zeros(n)",
                ),
            ),
        ),
    ),
)
