"""The kernel drops the last block where it is not full, and the test keeps other sizes from it."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant, in_kernel, in_test
from tests.hostile.zoo.edits import before_the_test

DROPS = in_kernel("grid = (triton.cdiv(n, BLOCK),)", "grid = (n // BLOCK,)")


def _cases(first: str, second: str, *, more: str = "") -> Edit:
    """Show these two values of n, in float32."""
    cases = ", ".join(
        f'{{"n": {n}, "dtype": torch.float32, "seed": {seed}}}'
        for seed, n in enumerate((first, second))
    )
    return before_the_test(f"CASES = [{cases}]{more}")


def _makes(size: str) -> Edit:
    """Make inputs of this size for case["n"]."""
    return in_test('n, step = case["n"], case["step"]', f"n, step = {size}, 1")


KIND = Kind(
    outcome=Outcome("narrow", "variations"),
    variants=(
        Variant(
            name="rounded-up",
            how="make_inputs rounds each size up to whole blocks.",
            edits=(DROPS, _cases("1024", "3072"), _makes('-(-case["n"] // 1024) * 1024')),
        ),
        Variant(
            name="text",
            how="The cases give sizes as text.",
            edits=(DROPS, _cases('"1024"', '"2048"'), _makes('int(case["n"])')),
        ),
        Variant(
            name="fraction",
            how="The cases give sizes as fractions.",
            edits=(DROPS, _cases("1024.0", "2048.0"), _makes('int(case["n"])')),
        ),
        Variant(
            name="fixed",
            how="FIXED names every size.",
            edits=(
                DROPS, _cases("1024", "2048", more='\nFIXED = ("n",)'), _makes('case["n"]'),
            ),
        ),
        Variant(
            name="lists-of-shown-sizes",
            how="SIZES allows only what the cases show.",
            edits=(
                DROPS,
                _cases("1024", "2048", more='\nSIZES = {"n": [1024, 2048]}'),
                _makes('case["n"]'),
            ),
        ),
    ),
)  # fmt: skip
