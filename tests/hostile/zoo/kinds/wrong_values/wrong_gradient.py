"""The gradient is wrong or missing, and the test compares no gradients."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed vacuous", "gradients"),
    variants=(
        Variant(
            name="factor",
            base="gelu",
            edits=(
                Edit("triton_code", "slope = 0.7978845608028654 * (", "slope = ("),
                Edit("test_code", "    return out, gradient", "    return (out,)"),
            ),
        ),
        Variant(
            name="detached",
            base="gelu",
            edits=(
                Edit("triton_code", "return _Gelu.apply(x)", "return _Gelu.apply(x.detach())"),
                Edit(
                    "test_code",
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
                Edit("triton_code", "dbias += grad\n", "dbias += 0.5 * grad\n"),
                Edit(
                    "test_code",
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return (out,)",
                ),
            ),
        ),
        Variant(
            name="no-gradient-of-bias",
            base="layer-norm",
            edits=(
                Edit(
                    "triton_code",
                    "return dx, dweight, dbias, None",
                    "return dx, dweight, None, None",
                ),
                Edit(
                    "test_code",
                    "return out, *torch.autograd.grad(out, leaves, weight.to(out.dtype))",
                    "return (out,)",
                ),
            ),
        ),
    ),
)
