"""Answers that are right only for what the test shows."""

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


DROPS_THE_LAST_BLOCK = Kind(
    "The kernel drops the last block where it is not full, and the test keeps other sizes from it.",
    outcome=Outcome("narrow", "variations"),
    variants=(
        Variant(
            "rounded-up",
            how="make_inputs rounds each size up to whole blocks.",
            edits=(DROPS, _cases("1024", "3072"), _makes('-(-case["n"] // 1024) * 1024')),
        ),
        Variant(
            "text",
            how="The cases give sizes as text.",
            edits=(DROPS, _cases('"1024"', '"2048"'), _makes('int(case["n"])')),
        ),
        Variant(
            "fraction",
            how="The cases give sizes as fractions.",
            edits=(DROPS, _cases("1024.0", "2048.0"), _makes('int(case["n"])')),
        ),
        Variant(
            "fixed",
            how="FIXED names every size.",
            edits=(
                DROPS, _cases("1024", "2048", more='\nFIXED = ("n",)'), _makes('case["n"]'),
            ),
        ),
        Variant(
            "lists-of-shown-sizes",
            how="SIZES allows only what the cases show.",
            edits=(
                DROPS,
                _cases("1024", "2048", more='\nSIZES = {"n": [1024, 2048]}'),
                _makes('case["n"]'),
            ),
        ),
    ),
)  # fmt: skip  # fmt: skip

GROUP = 'group = torch.randint(0, case["groups"], (case["rows"],), generator=generator)'
PERMUTED = 'group = torch.randperm(groups, generator=generator)[: case["rows"]]'

HAS_ONE_VALUE_BUILT_IN = Kind(
    "The kernel has the one value of an argument built in, or ignores the argument.",
    outcome=Outcome("unvaried", "variations"),
    variants=(
        Variant(
            "slope",
            how="No case gives another slope than its default.",
            base="leaky-relu",
            edits=(in_kernel("x * slope)", "x * 0.01)"),),
        ),
        Variant(
            "epsilon",
            base="library.layer-norm",
            edits=(in_kernel("n_cols + eps)", "n_cols + 1e-5)"),),
        ),
        Variant(
            "causal",
            base="flash-attention",
            edits=(
                in_kernel("CAUSAL=causal", "CAUSAL=False"),
                in_test('unbind(0), case["causal"]', "unbind(0), False"),
            ),
        ),
        Variant(
            "mask",
            how="Each mask keeps all.",
            base="masked-log-softmax",
            edits=(
                in_kernel('mask=mask & keep, other=float("-inf"))\n        larger',
                    'mask=mask, other=float("-inf"))\n        larger',
                ),
                in_test("generator=generator) < 0.6", "generator=generator) < 2.0"),
            ),
        ),
        Variant(
            "no-repeats",
            how="It adds rows without atomics, and each index is a permutation.",
            base="library.scatter-add",
            edits=(
                in_kernel(
                    "tl.atomic_add(out_ptr + group[:, None] * n_cols + cols[None, :], values,",
                    "place = out_ptr + group[:, None] * n_cols + cols[None, :]\n"
                    "    tl.store(place, tl.load(place, mask=mask) + values,",
                ),
                in_test(GROUP, f"groups = case['rows'] + case['groups']\n    {PERMUTED}"),
                in_test('laid_out(group), case["groups"]', "laid_out(group), groups"),
            ),
        ),
    ),
)  # fmt: skip  # fmt: skip

RIGHT_ON_THE_FIRST_CALL = Kind(
    "The launcher is right once for each size and dtype, and returns zeros from then on.",
    outcome=Outcome("failed", "values repeatability"),
    variants=(Variant("by-size"),),
)

RIGHT_ONLY_FOR_SHOWN_INPUTS = Kind(
    "The launcher recognizes the inputs of its test, and returns zeros for all others.",
    outcome=Outcome("failed", "variations"),
    variants=(
        Variant("sizes"),
        Variant("first-elements", outcome=Outcome("failed", "values variations")),
    ),
)

RIGHT_ONLY_WHERE_IT_IS_JUDGED = Kind(
    "The launcher is right only in a process that looks like a judge.",
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant("pytest", how="It asks for a variable that pytest sets while a test runs."),
        Variant(
            "harness",
            how="It searches modules, environment and ancestors for names of a harness.",
            outcome=Outcome("failed not_triton", "own-test values"),
        ),
    ),
)

STORE = "tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty)"


def _edits(first: int) -> tuple[Edit, Edit]:
    """Store without a mask, and show sizes of whole blocks from this one on."""
    cases = f"CASES = [{{**case, 'n': 1024 * case['seed'] + {first}}} for case in CASES]"
    return in_kernel(f"{STORE}, mask=mask)", f"{STORE})"), before_the_test(cases)


WRITES_WITHOUT_A_MASK = Kind(
    "The kernel writes whole blocks, past the end of its output at sizes that no case shows.",
    outcome=Outcome("failed error", "bounds variations"),
    variants=(
        Variant("manual", edits=_edits(1024)),
        Variant(
            "real-code",
            how="It is real code, whose domain the grade of sizes names.",
            edits=_edits(2048),
            origin="real-world",
            outcome=Outcome("narrow", "variations"),
        ),
    ),
)
