"""What stands behind the comparison's other argument, one small repository a rule."""

from __future__ import annotations

import pytest

from ingest.drafting import Missing, Rule
from tests.ingest.drafting.repositories import DOUBLING, cases, drafted, function, only, whole


def test_a_single_operation_of_torch_is_a_reference() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device="cuda")
            expected = torch.mul(x, 2)
            assert torch.allclose(doubled(x), expected)
        """
    )

    assert draft.rule is Rule.TORCH_OPERATION
    assert "torch.mul(x, 2)" in draft.texts.python_code


def test_an_expression_can_be_the_reference() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device="cuda")
            assert (doubled(x) - (x + x)).abs().max() < 1e-3
        """
    )

    assert draft.rule is Rule.EXPRESSION
    assert "return x + x" in draft.texts.python_code


MODULES = """
class DoublingLayer(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))

    def forward(self, x):
        return Doubling.apply(x * self.weight)

class PlainLayer(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))

    def forward(self, x):
        return 2 * x * self.weight

def test_layer(size=32):
    x = torch.randn(4, size, device=device)
    plain = PlainLayer(size).to(device)
    ours = DoublingLayer(size).to(device)
    with torch.no_grad():
        ours.weight.copy_(plain.weight)
    assert torch.allclose(ours(x), plain(x))
"""


def test_weights_shared_by_two_modules_become_an_input_of_both_sides() -> None:
    draft = whole(MODULES)

    assert draft.rule is Rule.MODULE
    for code in (draft.texts.python_code, draft.texts.triton_code):
        assert "plain_weight" in function(code, "doubling")
        assert "plain_weight" in function(code, "doubling").partition("):")[0]
    assert "plain_weight = plain.weight" in draft.texts.test_code
    assert "DoublingLayer" not in draft.texts.test_code


def test_a_helper_of_the_test_is_inlined() -> None:
    draft = whole(
        """
        def check(size, scale):
            x = torch.randn(size, device=device)
            assert torch.allclose(doubled(x, scale), x + x)

        @pytest.mark.parametrize("size", [16, 48])
        def test_doubled(size):
            check(size, scale=1)
        """
    )

    assert [case["size"] for case in cases(draft.texts.test_code)] == [16, 48]


def test_gradients_that_the_test_compares_make_a_draft_differentiable() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device="cuda", requires_grad=True)
            y = x.detach().clone().requires_grad_()
            ours, theirs = Doubling.apply(x), y + y
            assert torch.allclose(ours, theirs)
            ours.sum().backward()
            theirs.sum().backward()
            assert torch.allclose(x.grad, y.grad)
        """
    )

    assert draft.differentiable
    assert "x.requires_grad_()" in function(draft.texts.test_code, "make_inputs")
    assert "detach" not in function(draft.texts.triton_code, "doubling")


def test_a_test_that_compares_two_kernels_gives_no_draft() -> None:
    outcome = only(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), Doubling.apply(x))
        """
    )

    assert outcome.missing is Missing.KERNEL_AGAINST_KERNEL


def test_a_test_that_compares_only_gradients_has_a_separate_reason() -> None:
    outcome = only(
        """
        def test_doubled():
            x = torch.randn(64, device=device, requires_grad=True)
            y = torch.randn(64, device=device, requires_grad=True)
            Doubling.apply(x).sum().backward()
            (y + y).sum().backward()
            assert torch.allclose(x.grad, y.grad)
        """
    )

    assert outcome.missing is Missing.GRADIENTS_ONLY


def test_literal_expected_values_are_not_a_reference() -> None:
    written = only(
        """
        def test_doubled():
            x = torch.tensor([1.0, 2.0], device=device)
            expected = torch.tensor([2.0, 4.0], device=device)
            assert torch.allclose(doubled(x), expected)
        """
    )
    counted = only(
        """
        def test_doubled():
            sizes = [0] * 4
            sizes[2] = 3
            rows = sum(sizes)
            x = torch.randn(rows, device=device)
            y = torch.zeros(rows, device=device)
            for i, size in enumerate(sizes):
                y[:size] = i
            assert torch.allclose(doubled(x), y)
        """
    )
    handed_back = only(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), x)
        """
    )

    converted = only(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            actual = doubled(x)
            assert torch.allclose(actual.to(torch.float16), x.to(torch.float16))
        """
    )

    each = (written, counted, handed_back, converted)
    assert {outcome.missing for outcome in each} == {Missing.NO_COMPARISON}
    assert "depends on no input" in written.sentence
    assert "depends on no input" in counted.sentence
    assert "nothing is computed" in handed_back.sentence
    assert "nothing is computed" in converted.sentence


def test_a_comparison_by_a_loop_variable_gives_a_reason_instead_of_a_draft() -> None:
    outcome = only(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            y = doubled(x)
            for row in range(64):
                assert torch.allclose(y[row], x[row] + x[row])
        """
    )

    assert outcome.missing is Missing.NO_COMPARISON
    assert "in a loop, by its row" in outcome.sentence


@pytest.mark.parametrize(
    "comparison",
    ["doubled(x).shape, (64,)", "doubled(x).size(), x.size()", "doubled(x).dtype, x.dtype"],
)
def test_a_comparison_of_shapes_or_types_compares_no_answers(comparison: str) -> None:
    outcome = only(
        f"""
        def test_doubled():
            x = torch.randn(64, device="cuda")
            torch.testing.assert_close({comparison})
        """
    )

    assert outcome.missing is Missing.NO_COMPARISON


def test_an_always_compared_answer_precedes_a_conditionally_compared_one() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("squares", [False, True])
        def test_doubled(squares):
            x = torch.randn(64, device=device)
            if squares:
                y, square = doubled(x), doubled(x * x)
            else:
                y = doubled(x)
            expected = x + x
            if squares:
                assert torch.allclose(square, x * x * 2)
                expected = expected + 0
            assert torch.allclose(y, expected)
        """
    )

    assert "return y" in draft.texts.triton_code
    assert "return expected" in draft.texts.python_code
    assert "allclose" not in draft.texts.python_code


def test_a_comparison_under_an_undecidable_condition_is_used() -> None:
    draft = whole(
        """
        def both(x):
            return doubled(x), doubled(x * x)

        def test_doubled():
            x = torch.randn(64, device=device)
            y, square = both(x)
            assert torch.allclose(y, x + x)
            if square is not None:
                assert torch.allclose(square, x * x * 2)
        """
    )
    assert "return doubled(x), doubled(x * x)" in draft.texts.triton_code


def test_only_cases_in_which_the_test_compares_are_kept() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("squares", [False, True])
        def test_doubled(squares):
            x = torch.randn(64, device=device) + squares
            if squares:
                square = doubled(x * x)
                assert torch.allclose(square, x * x * 2)
        """
    )

    assert [case["squares"] for case in cases(draft.texts.test_code)] == [True]


def test_a_name_bound_in_one_branch_of_a_side_is_not_an_input() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("squares", [False, True])
        def test_doubled(squares):
            x = torch.randn(64, device=device)
            x = x if squares else 2 * x
            y = doubled(x)
            if squares:
                square = x * x
            expected = x + x
            for row, value in enumerate(expected):
                expected[row] = value + 0 * square[row] if squares else value
            assert torch.allclose(y, expected)
        """
    )

    assert "def doubling(x, squares):" in draft.texts.python_code
    assert "    square = None\n" in draft.texts.python_code


def test_unused_computations_of_a_branch_are_removed() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("scaled", [False, True])
        def test_doubled(scaled):
            x = torch.randn(64, device=device)
            x = x if scaled else 2 * x
            if scaled:
                wide = 2.0 * x.double()
                wide = wide.float()
                expected = 2.0 * x
            else:
                wide = x.double()
                expected = x + x
            actual = doubled(x)
            assert torch.allclose(actual, expected)
            print((actual - wide).abs().max())
        """
    )

    assert "wide" not in draft.texts.python_code
    assert "def doubling(x, scaled):" in draft.texts.python_code


def test_a_torch_operator_of_a_library_gives_a_reason_instead_of_a_draft() -> None:
    outcome = only(
        """
        def ref_doubled(x):
            return torch.ops.fast.doubled.default(x)

        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), ref_doubled(x))
        """
    )

    assert outcome.missing is Missing.REFERENCE_NOT_STANDALONE
    assert "torch.ops.fast.doubled" in outcome.sentence


def test_a_missing_comparison_and_a_missing_test_are_distinct_reasons() -> None:
    idle = only(
        """
        def test_doubled():
            print(doubled(torch.randn(64, device=device)).isclose)
        """
    )
    absent = only("def test_nothing():\n    assert torch.allclose(torch.ones(1), torch.ones(1))")

    assert idle.missing is Missing.NO_COMPARISON
    assert absent.missing is Missing.NO_TEST


def test_a_kernel_without_a_launch_has_no_launcher() -> None:
    lonely = "import triton\n\n@triton.jit\ndef lonely_kernel(x):\n    pass\n"
    outcomes = drafted("", ops__lonely=lonely)

    (outcome,) = [o for o in outcomes if o.operation.name == "lonely_kernel"]
    assert outcome.missing is Missing.NO_LAUNCHER


def test_a_reference_of_an_unknown_package_is_named() -> None:
    outcome = only(
        """
        from somewhere import ref_doubled

        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), ref_doubled(x))
        """
    )

    assert outcome.missing is Missing.REFERENCE_NOT_STANDALONE
    assert "somewhere" in outcome.sentence


def test_einops_is_replaced_by_a_substitute() -> None:
    draft = whole(
        """
        from einops import rearrange

        def ref_doubled(x):
            pattern = "a b -> b a"
            return rearrange(2 * x, pattern)

        def test_doubled():
            x = torch.randn(8, 8, device=device)
            assert torch.allclose(doubled(x).t(), ref_doubled(x))
        """
    )

    assert "def rearrange(" in draft.texts.python_code
    assert "import einops" not in draft.texts.python_code


@pytest.mark.parametrize(
    ("line", "said", "defined"),
    [
        (
            "from packaging import version",
            'version.parse("2.9.0") < version.parse("2.10")',
            "parse",
        ),
        ("from packaging.version import parse", 'parse("2.9.0+cpu") < parse("2.10")', "parse"),
    ],
)
def test_version_checks_are_replaced_by_substitutes(line: str, said: str, defined: str) -> None:
    draft = whole(
        f"""
        {line}

        def ref_doubled(x):
            return 2 * x if {said} else x

        def test_doubled():
            x = torch.randn(8, 8, device=device)
            assert torch.allclose(doubled(x), ref_doubled(x))
        """
    )

    assert f"def {defined}" in draft.texts.python_code
    assert "packaging" not in draft.texts.python_code.replace("packaging's", "")


def test_a_function_and_its_operation_give_one_outcome_in_any_file_order() -> None:
    (outcome,) = drafted("")

    assert outcome.operation.name == "Doubling"
    assert [kernel.qualname for kernel in outcome.operation.kernels] == ["doubling_kernel"]


def test_a_wrap_triton_call_is_removed_from_the_launch() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device="cuda")
            assert torch.allclose(doubled(x), torch.mul(x, 2))
        """,
        ops__doubling=DOUBLING.replace(
            "doubling_kernel[(", "torch.library.wrap_triton(doubling_kernel)[("
        ),
    )

    assert "wrap_triton" not in draft.texts.triton_code
    assert "doubling_kernel[(" in draft.texts.triton_code
