"""Tests that compare too little to fail."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import asserts, before_the_test, compares_by, compares_only, tolerates

ASSERTS_NOTHING = Kind(
    "The test asserts nothing about the answers.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "no-assertion",
            edits=(asserts("torch.allclose(actual, expected, rtol=rtol, atol=atol)"),),
        ),
        Variant(
            "tuple",
            edits=(
                asserts(
                    "same = torch.allclose(actual, expected, rtol=rtol, atol=atol), 'differs'\n"
                    "assert same"
                ),
            ),
        ),
        Variant(
            "returned",
            edits=(asserts("return torch.allclose(actual, expected, rtol=rtol, atol=atol)"),),
        ),
    ),
)

COMPARES_A_PART = Kind(
    "The test compares a part of the answers only.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant("first-element", edits=(compares_only("[:1]"),)),
        Variant("last-row", base="library.fused-softmax", edits=(compares_only("[-1:]"),)),
        Variant("first-row", base="library.fused-softmax", edits=(compares_only("[:1]"),)),
        Variant("first-column", base="library.fused-softmax", edits=(compares_only("[:, :1]"),)),
    ),
)

SUM = "@ torch.arange(1.0, case['n'] + 1, device=DEVICE)"

COMPARES_A_SUMMARY = Kind(
    "The test compares a number that says little about the answers.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "means",
            edits=(compares_by("abs(actual.float().mean() - expected.float().mean()) < 1.0"),),
        ),
        Variant(
            "norms",
            edits=(
                compares_by("torch.allclose(actual.norm(), expected.norm(), rtol=0.5, atol=5.0)"),
            ),
        ),
        Variant(
            "weighted-sum",
            edits=(
                compares_by(f"torch.allclose(actual.float() {SUM}, expected.float() {SUM}, 1e-2)"),
            ),
            outcome=Outcome("weak vacuous", "test-can-fail"),
        ),
        Variant("dtypes", edits=(compares_by("actual.dtype == expected.dtype"),)),
    ),
)

COMPARES_COARSELY = Kind(
    "The test accepts answers that are far apart.",
    outcome=Outcome("vacuous weak", "test-can-fail"),
    variants=(
        Variant(
            "rounded", edits=(compares_by("(actual.round() - expected.round()).abs().max() <= 2"),)
        ),
        Variant(
            "any-element",
            edits=(compares_by("torch.isclose(actual, expected, rtol=rtol, atol=atol).any()"),),
            outcome=Outcome("vacuous", "test-can-fail"),
        ),
    ),
)

COMPARES_NO_GRADIENTS = Kind(
    "The test computes gradients and does not compare them all.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "none",
            base="gelu",
            edits=(in_test("zip(*both, strict=True):", "list(zip(*both, strict=True))[:1]:"),),
        ),
        Variant(
            "one-of-three",
            base="library.layer-norm",
            edits=(in_test("in zip(ours, theirs):", "in list(zip(ours, theirs))[:1]:"),),
        ),
    ),
)

COMPARES_UNDER_A_CONDITION = Kind(
    "The test compares only under a condition that never holds.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "many-gpus",
            edits=(
                in_test(
                    "    assert torch.allclose(",
                    ("    if torch.cuda.device_count() > 64:\n        assert torch.allclose("),
                ),
            ),
        ),
    ),
)

COMPARES_WITH_ITSELF = Kind(
    "The test compares an answer with itself.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "copy",
            edits=(
                in_test(
                    "torch.allclose(actual, expected,", "torch.allclose(actual, actual.clone(),"
                ),
            ),
        ),
        Variant(
            "float8",
            base="fp8-scale",
            edits=(
                in_test(
                    "torch.allclose(actual.float(), expected.float(), rtol=rtol, atol=atol)",
                    "torch.allclose(actual.float(), actual.float().clone(), rtol=rtol, atol=atol)",
                ),
            ),
        ),
        Variant(
            "candidate-twice",
            edits=(
                in_test(
                    "from python_code import vector_add as reference",
                    "from triton_code import vector_add as reference",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
        Variant(
            "reference-twice",
            edits=(
                in_test(
                    "from triton_code import vector_add as candidate",
                    "from python_code import vector_add as candidate",
                ),
            ),
            outcome=Outcome("failed error vacuous", "contract test-can-fail"),
        ),
    ),
)

INPUTS_WITHOUT_INFORMATION = Kind(
    "All inputs are the same number, so a constant is right.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "zeros",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    "    return torch.zeros_like(x)[::step], torch.zeros_like(y)\n",
                ),
            ),
        ),
        Variant(
            "nan",
            edits=(
                in_test("    return x[::step], y\n", "    return x[::step], y * float('nan')\n"),
                in_test("atol=atol)", "atol=atol, equal_nan=True)"),
            ),
        ),
    ),
)

ONLY_EMPTY_TENSORS = Kind(
    "Every case of the test is empty, so any answer is right.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "vectors", edits=(before_the_test('CASES = [{**case, "n": 0} for case in CASES]'),)
        ),
    ),
)

TOLERATES_TOO_MUCH = Kind(
    "The test has a tolerance that hides wrong answers.",
    outcome=Outcome("vacuous weak", "test-can-fail"),
    variants=(
        Variant(
            "everything", edits=(tolerates(1e9, 1e9),), outcome=Outcome("vacuous", "test-can-fail")
        ),
        Variant("ten-percent", edits=(tolerates(1e-1, 1e-1),)),
        Variant("one", edits=(tolerates(0.0, 1.0),)),
    ),
)
