"""Kernels and launchers that return wrong values."""

from tests.hostile.zoo.catalog import Edit, Kind, Needs, Outcome, Variant, in_kernel, in_test
from tests.hostile.zoo.edits import WRITES_ZEROS, asserts, compares_only, stores, tolerates


def reads_x_as(dtype: str) -> Edit:
    """Round x to this type of Triton's."""
    load = "x = tl.load(x_ptr + offsets * x_stride, mask=mask)"
    return in_kernel(load, f"{load}.to(tl.{dtype})")


ADDS_WITHOUT_ATOMICS = Kind(
    "The kernel loads, adds and stores where several lanes or blocks add to one place.",
    outcome=Outcome("failed", "own-test values"),
    variants=(
        Variant(
            "within-a-block",
            base="histogram",
            edits=(
                in_kernel(
                    "tl.atomic_add(out_ptr + x, 1, mask=mask)",
                    "tl.store(out_ptr + x, tl.load(out_ptr + x, mask=mask) + 1, mask=mask)",
                ),
            ),
        ),
        Variant(
            "between-blocks",
            base="atomic-sum",
            edits=(
                in_kernel(
                    "tl.atomic_add(out_ptr, tl.sum(x * weight, axis=0))",
                    "tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x * weight, axis=0))",
                ),
            ),
            outcome=Outcome("failed", "own-test values repeatability"),
        ),
    ),
)

COMPUTES_IN_HALF = Kind(
    "The kernel computes in half precision instead of float32, and a wide tolerance hides it.",
    outcome=Outcome("failed vacuous", "values"),
    variants=(
        Variant(
            "input",
            edits=(reads_x_as("float16"), tolerates(1e-2, 1e-2)),
            outcome=Outcome("failed vacuous", "values test-can-fail"),
        ),
        Variant(
            "accumulator",
            base="library.matmul",
            edits=(
                in_kernel(
                    'acc = tl.dot(a, b, acc, input_precision="ieee")',
                    (
                        "acc += tl.dot(a.to(tl.float16), b.to(tl.float16))\n"
                        "        acc = acc.to(tl.float16).to(tl.float32)"
                    ),
                ),
                tolerates(2e-2, 5e-2),
            ),
        ),
        Variant(
            "default-dtype",
            how="It sets torch's default dtype, from which its test derives the tolerance.",
            edits=(
                reads_x_as("float16"),
                in_test(
                    'rtol, atol = TOLERANCE[case["dtype"]]',
                    (
                        'dtypes = case["dtype"], torch.get_default_dtype()\n'
                        "    rtol = atol = max(torch.finfo(dtype).eps * 4 for dtype in dtypes)"
                    ),
                ),
            ),
            outcome=Outcome("failed not_triton vacuous", "values"),
        ),
        Variant("input-bfloat16", edits=(reads_x_as("bfloat16"), tolerates(3e-2, 3e-2))),
        Variant(
            "sum-of-a-row",
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

IGNORES_ITS_INPUTS = Kind(
    "The kernel stores something that does not depend on all of its inputs.",
    outcome=Outcome("failed", "own-test values"),
    variants=(
        Variant("zeros", edits=(WRITES_ZEROS,)),
        Variant("threes", edits=(stores("tl.full((BLOCK,), 3.0, tl.float32)"),)),
        Variant("first-input-only", edits=(stores("x"),)),
        Variant("second-input-only", edits=(stores("y"),)),
        Variant(
            "first-row-only",
            base="library.fused-softmax",
            edits=(in_kernel("x_ptr + row * x_stride_m", "x_ptr"),),
        ),
    ),
)

LAST_ELEMENT_UNWRITTEN = Kind(
    "The mask ends one element early, and the test leaves that element out.",
    outcome=Outcome("failed vacuous", "values memory test-can-fail"),
    variants=(
        Variant(
            "vector",
            edits=(
                in_kernel("mask = offsets < n\n", "mask = offsets < n - 1\n"),
                compares_only("[:-1]"),
            ),
        ),
        Variant(
            "column-of-softmax",
            base="library.fused-softmax",
            edits=(
                in_kernel("cols, y, mask=mask)", "cols, y, mask=cols < n_cols - 1)"),
                compares_only("[:, :-1]"),
            ),
        ),
    ),
)

COUNTS = """    state["step"] += 1
    weight, grad"""

LEAVES_OTHER_PLAIN_VALUES = Kind(
    "The launcher leaves other plain values in its arguments than the reference does.",
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            "step-not-counted",
            base="counted-steps",
            edits=(
                in_kernel(COUNTS, "    weight, grad"),
                in_kernel('state["step"] / 10', '(state["step"] + 1) / 10'),
            ),
        ),
        Variant(
            "another-key",
            base="counted-steps",
            edits=(in_kernel(COUNTS, f'    state["seen"] = True\n{COUNTS}'),),
        ),
    ),
)

RETURNS_NOTHING = Kind(
    "The launcher returns None, and the test compares only what is not None.",
    outcome=Outcome("failed error not_triton vacuous", "values"),
    variants=(
        Variant(
            "none",
            edits=(
                asserts(
                    "if actual is not None:\n"
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)"
                ),
            ),
        ),
    ),
)

WRITES_NAN = Kind(
    "The kernel writes NaN, and the test compares finite elements only.",
    outcome=Outcome("failed vacuous", "values test-can-fail"),
    variants=(
        Variant(
            "everywhere",
            edits=(
                stores("tl.full((BLOCK,), float('nan'), tl.float32)"),
                compares_only("[actual.isfinite()]"),
            ),
        ),
    ),
)

NO_GRADIENTS = in_test(
    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))", "return (out,)"
)

UNCOMPARED = in_test("in zip(ours, theirs):", "in []:")

WRONG_GRADIENT = Kind(
    "The gradient is wrong or missing, and the test compares no gradients.",
    outcome=Outcome("failed vacuous", "gradients"),
    variants=(
        Variant(
            "factor",
            base="gelu",
            edits=(in_kernel("slope = 0.7978845608028654 * (", "slope = ("), NO_GRADIENTS),
        ),
        Variant(
            "detached",
            base="gelu",
            edits=(
                in_kernel("return _Gelu.apply(x)", "return _Gelu.apply(x.detach())"),
                NO_GRADIENTS,
            ),
            outcome=Outcome("failed error vacuous", "gradients"),
        ),
        Variant(
            "gradient-of-bias",
            base="library.layer-norm",
            edits=(in_kernel("tl.sum(grad, axis=0)\n", "0.5 * tl.sum(grad, axis=0)\n"), UNCOMPARED),
        ),
        Variant(
            "no-gradient-of-bias",
            base="library.layer-norm",
            edits=(
                in_kernel("grad_weight, grad_bias, None", "grad_weight, None, None"),
                UNCOMPARED,
            ),
        ),
    ),
)

WRONG_KIND_OF_TENSOR = Kind(
    "The launcher returns another dtype, shape or device than it should, and the test hides it.",
    outcome=Outcome("failed vacuous", "values memory"),
    variants=(
        Variant(
            "float32",
            edits=(
                in_kernel("dtype=x.dtype", "dtype=torch.float32"),
                in_test(
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual.float(), expected.float(),",
                ),
            ),
            outcome=Outcome("failed vacuous", "values memory test-can-fail"),
        ),
        Variant(
            "extra-dimension",
            edits=(
                in_kernel("    return out", "    return out[None]"),
                in_test("    assert actual.shape == expected.shape\n", ""),
            ),
        ),
        Variant(
            "cpu",
            edits=(
                in_kernel("    return out", "    return out.cpu()"),
                in_test(
                    "torch.allclose(actual, expected,",
                    "torch.allclose(actual.to(DEVICE), expected,",
                ),
            ),
            needs=Needs.GPU,
            needs_because="Without a GPU there is but one device.",
            outcome=Outcome("failed not_triton vacuous", "values memory kernel-matters"),
        ),
        Variant(
            "one-element-vector",
            base="atomic-sum",
            edits=(
                in_kernel("torch.zeros((), dtype", "torch.zeros((1,), dtype"),
                in_test("    assert actual.shape == expected.shape\n", ""),
            ),
        ),
    ),
)
