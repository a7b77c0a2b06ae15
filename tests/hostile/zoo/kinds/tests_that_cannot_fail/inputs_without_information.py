"""All inputs are the same number, so a constant is right."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="zeros",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    "    return torch.zeros_like(x)[::step], torch.zeros_like(y)\n",
                ),
            ),
        ),
        Variant(
            name="nan",
            edits=(
                in_test("    return x[::step], y\n", "    return x[::step], y * float('nan')\n"),
                in_test("atol=atol)", "atol=atol, equal_nan=True)"),
            ),
        ),
    ),
)
