"""The kernel computes in half precision instead of float32, and a wide tolerance hides it."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test
from tests.hostile.zoo.edits import tolerates

KIND = Kind(
    outcome=Outcome("failed vacuous", "values"),
    variants=(
        Variant(
            name="input",
            edits=(
                in_kernel(
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask)",
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask).to(tl.float16)",
                ),
                tolerates(1e-2, 1e-2),
            ),
            outcome=Outcome("failed vacuous", "values test-can-fail"),
        ),
        Variant(
            name="accumulator",
            base="matmul",
            edits=(
                in_kernel(
                    'total = tl.dot(a, b, total, input_precision="ieee")',
                    (
                        "total += tl.dot(a.to(tl.float16), b.to(tl.float16))\n"
                        "        total = total.to(tl.float16).to(tl.float32)"
                    ),
                ),
                tolerates(2e-2, 5e-2),
            ),
        ),
        Variant(
            name="default-dtype",
            how="It sets torch's default dtype, from which its test derives the tolerance.",
            edits=(
                in_kernel(
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask)",
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask).to(tl.float16)",
                ),
                in_test(
                    'rtol, atol = TOLERANCE[case["dtype"]]',
                    (
                        'dtypes = case["dtype"], torch.get_default_dtype()\n'
                        "    rtol = atol = max(torch.finfo(dtype).eps * 4 for dtype in dtypes)"
                    ),
                ),
            ),
            launcher=("computes_in_half_default_dtype",),
            outcome=Outcome("failed not_triton vacuous", "values"),
        ),
        Variant(
            name="input-bfloat16",
            edits=(
                in_kernel(
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask)",
                    "x = tl.load(x_ptr + offsets * x_stride, mask=mask).to(tl.bfloat16)",
                ),
                tolerates(3e-2, 3e-2),
            ),
        ),
        Variant(
            name="sum-of-a-row",
            base="row-sum",
            edits=(
                in_kernel(
                    "total = tl.zeros((BLOCK,), dtype=tl.float32)",
                    "total = tl.zeros((BLOCK,), dtype=tl.float16)",
                ),
                in_kernel("other=0.0).to(tl.float32)", "other=0.0).to(tl.float16)"),
                tolerates(1e-2, 5e-1),
            ),
        ),
    ),
)
