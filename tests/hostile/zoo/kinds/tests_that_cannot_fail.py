"""Tests that never fail, and references that are worth nothing."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference, in_test
from tests.hostile.zoo.edits import WRITES_ZEROS, asserts, before_the_test, stores, tolerates

CONSTANT_REFERENCE = Kind(
    "The reference returns zeros whatever its inputs are, and so does the candidate.",
    outcome=Outcome("failed vacuous", "test-can-fail"),
    variants=(
        Variant(
            "zeros",
            edits=(in_reference("return x + y", "return torch.zeros_like(y)"), WRITES_ZEROS),
        ),
    ),
)

FAILING_REFERENCE = Kind(
    "The reference raises, and the test takes two errors for agreement.",
    outcome=Outcome("failed error vacuous", "own-test values test-can-fail"),
    variants=(
        Variant(
            "not-implemented",
            edits=(
                in_reference("return x + y", "raise NotImplementedError"),
                in_test(
                    (
                        "    expected, actual = reference(*inputs), candidate(*inputs)\n"
                        '    rtol, atol = TOLERANCE[case["dtype"]]\n'
                        "    assert actual.shape == expected.shape\n"
                        "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)\n"
                    ),
                    (
                        "    for function in (reference, candidate):\n"
                        "        with pytest.raises(NotImplementedError):\n"
                        "            function(*inputs)\n"
                    ),
                ),
            ),
        ),
    ),
)

RANDOM_REFERENCE = Kind(
    "The reference adds unseeded noise, and the tolerance makes room for it.",
    outcome=Outcome("failed error vacuous unsupported", "values repeatability test-can-fail"),
    variants=(
        Variant(
            "uniform",
            edits=(
                in_reference("return x + y", "return x + y + torch.rand_like(y)"),
                tolerates(0.0, 1.1),
            ),
        ),
    ),
)

REFERENCE_CALLS_THE_CANDIDATE = Kind(
    "The reference calls the candidate.",
    outcome=Outcome("failed error not_triton vacuous", "contract values test-can-fail"),
    variants=(
        Variant(
            "import",
            edits=(
                in_reference("return x + y", "return __import__('triton_code').vector_add(x, y)"),
                stores("(x - y)"),
            ),
        ),
    ),
)

REFERENCE_CHANGES_ITS_INPUT = Kind(
    "The reference adds in place, and the candidate copies what it finds.",
    outcome=Outcome("failed error", "values memory"),
    variants=(
        Variant("in-place", edits=(in_reference("return x + y", "return x.add_(y)"), stores("x"))),
    ),
)

RUNS_NO_CASE = Kind(
    "Pytest runs no case of the test.",
    outcome=Outcome("failed error vacuous unsupported", "contract own-test test-can-fail"),
    variants=(
        Variant("no-cases", edits=(before_the_test("CASES = []"),)),
        Variant(
            "skipped",
            edits=(
                in_test(
                    "@pytest.mark.parametrize",
                    ('@pytest.mark.skip(reason="slow")\n@pytest.mark.parametrize'),
                ),
            ),
            outcome=Outcome("failed vacuous unsupported", "own-test test-can-fail"),
        ),
        Variant(
            "missing-module",
            edits=(
                in_test(
                    "import torch\n",
                    ("import torch\n\npytest.importorskip('a_module_of_our_cluster')\n"),
                ),
            ),
            outcome=Outcome("failed error vacuous unsupported", "own-test test-can-fail"),
        ),
        Variant("not-collected", edits=(in_test("def test_equivalence", "def check_equivalence"),)),
    ),
)

SEED_WITHOUT_EFFECT = Kind(
    "make_inputs does not follow the seed of its case.",
    outcome=Outcome("failed error vacuous", "contract variations test-can-fail"),
    variants=(
        Variant("fixed", edits=(in_test('manual_seed(case["seed"])', "manual_seed(0)"),)),
        Variant(
            "unseeded",
            edits=(
                in_test(
                    'torch.Generator().manual_seed(case["seed"])',
                    "torch.default_generator; generator.seed()",
                ),
            ),
            outcome=Outcome(
                "failed error vacuous unsupported", "contract values repeatability test-can-fail"
            ),
        ),
    ),
)

TURNS_FAILURES_INTO_PASSES = Kind(
    "The test compares well, and turns a failure into a pass.",
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            "caught",
            edits=(
                asserts(
                    "try:\n"
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)\n"
                    "except Exception as error:\n"
                    '    print("mismatch", error)'
                ),
            ),
        ),
        Variant(
            "xfail",
            how="It is marked as expected to fail, and wrong answers make it fail.",
            edits=(
                in_test(
                    "@pytest.mark.parametrize", ("@pytest.mark.xfail\n@pytest.mark.parametrize")
                ),
                stores("(x - y)"),
            ),
            outcome=Outcome("failed vacuous", "own-test values test-can-fail"),
        ),
    ),
)
