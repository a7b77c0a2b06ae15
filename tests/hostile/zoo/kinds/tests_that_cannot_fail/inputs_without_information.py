"""All inputs are the same number, so a constant is right."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="zeros",
            edits=(
                Edit(
                    "test_code",
                    "    return x[::step], y\n",
                    "    return torch.zeros_like(x)[::step], torch.zeros_like(y)\n",
                ),
            ),
        ),
        Variant(
            name="nan",
            edits=(
                Edit(
                    "test_code",
                    "    return x[::step], y\n",
                    "    return x[::step], y * float('nan')\n",
                ),
                Edit("test_code", "atol=atol)", "atol=atol, equal_nan=True)"),
            ),
        ),
    ),
)
