"""The gradient is wrong or missing, and the test compares no gradients."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("failed vacuous", "gradients"),
    variants=(
        Variant(
            name="factor",
            base="gelu",
            edits=(
                in_kernel("slope = 0.7978845608028654 * (", "slope = ("),
                in_test("    return out, gradient", "    return (out,)"),
            ),
        ),
        Variant(
            name="detached",
            base="gelu",
            edits=(
                in_kernel("return _Gelu.apply(x)", "return _Gelu.apply(x.detach())"),
                in_test(
                    ("(gradient,) = torch.autograd.grad(out, x, weight)\n    return out, gradient"),
                    "return (out,)",
                ),
            ),
            outcome=Outcome("failed error vacuous", "gradients"),
        ),
        Variant(
            name="gradient-of-bias",
            base="layer-norm",
            edits=(
                in_kernel("dbias += grad\n", "dbias += 0.5 * grad\n"),
                in_test(
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return (out,)",
                ),
            ),
        ),
        Variant(
            name="no-gradient-of-bias",
            base="layer-norm",
            edits=(
                in_kernel("return dx, dweight, dbias, None", "return dx, dweight, None, None"),
                in_test(
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return (out,)",
                ),
            ),
        ),
    ),
)
