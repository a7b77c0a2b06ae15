"""Tests as authors write them: classes, fixtures, loops, scripts and measures of errors."""

from __future__ import annotations

import textwrap

import pytest

from ingest.drafting import Missing
from ingest.drafting.reading.naming import to_snake_case
from ingest.drafting.reading.sentences import first_sentence
from tests.ingest.drafting.repositories import DOUBLING, cases, drafted, function, only, whole

INTO = (
    DOUBLING.replace("def doubled(x, scale=1)", "def into(x, out)")
    .replace("    out = torch.empty_like(x)\n", "")
    .replace("    return out\n", "")
    .replace("doubled(", "into(0, ")
    + "\n\ndef doubled(x):\n    return x + x\n"
)


def test_a_fixture_is_written_into_the_test_that_asks_for_it() -> None:
    draft = whole(
        """
        @pytest.fixture
        def scale():
            factor = 2
            return factor + 1

        @pytest.fixture
        def tensor(scale):
            torch.manual_seed(0)
            made = torch.randn(64, device=device) * scale
            yield made
            del made

        def test_doubled(tensor):
            assert torch.allclose(doubled(tensor), tensor + tensor)
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    assert "scale = factor + 1" in made
    assert "tensor = torch.randn(64" in made
    assert "return (tensor,)" in made


def test_a_fixture_of_a_conftest_is_found_and_one_with_other_names_is_not() -> None:
    test = """
        def test_doubled(tensor):
            assert torch.allclose(doubled(tensor), tensor + tensor)
        """
    head = "import pytest\nimport torch\n\nSIZE = 64\n\n\n@pytest.fixture\ndef tensor():\n"

    draft = whole(test, tests__conftest=head + "    return torch.randn(64)\n")
    lost = only(test, tests__conftest=head + "    return torch.randn(SIZE)\n")

    assert "tensor = torch.randn(64)" in function(draft.texts.test_code, "make_inputs")
    assert lost.missing is Missing.INPUTS


def test_a_test_of_a_class_gets_what_the_class_gives_it() -> None:
    draft = whole(
        """
        import unittest

        class TestDoubled(unittest.TestCase):
            rows = 16

            def setUp(self):
                super().setUp()
                self.scale = 3

            def make(self, columns):
                return torch.randn(self.rows, columns, device=device)

            def reference(self, x):
                return x + x

            def test_doubled(self):
                x = self.make(61) * self.scale
                self.assertTrue(torch.allclose(doubled(x), self.reference(x)))
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    assert "rows = 16" in made
    assert "x = make(61) * scale" in made
    assert "self" not in draft.texts.python_code
    assert "return x + x" in function(draft.texts.python_code, draft.entry_point)


def test_a_comparing_function_inside_of_a_test_is_read_where_it_is_called() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)

            def check(factor):
                y = x * factor
                assert torch.allclose(doubled(y), y + y)

            check(3)
        """
    )

    assert "factor = 3" in draft.texts.test_code


@pytest.mark.parametrize(
    "comparison",
    [
        "assert (actual - expected).abs().max() < 1e-3",
        "assert torch.max(torch.abs(actual - expected)).item() < 1e-3",
        "error = (actual - expected).abs().max().item()\n    assert error < 1e-3",
        "assert relative_error(actual, expected) < 1e-3",
        "assert torch.all(torch.eq(actual, expected))",
        "assert (actual == expected).all()",
        "assert (actual != expected).sum() == 0",
        "if not torch.allclose(actual, expected):\n        raise ValueError",
        "print(f'{(actual - expected).abs().max().item()}')",
        "passed = (actual - expected).abs().max() < 1e-3\n    return passed",
    ],
)
def test_a_measure_of_the_error_is_a_comparison(comparison: str) -> None:
    test = f"""
def relative_error(a, b):
    return ((a - b).norm() / b.norm()).item()

def test_doubled():
    x = torch.randn(64, device=device)
    actual = doubled(x)
    expected = x + x
    {comparison}
"""

    draft = whole(textwrap.dedent(test))

    assert "return x + x" in function(draft.texts.python_code, draft.entry_point)


def test_a_loop_that_only_repeats_a_call_runs_once() -> None:
    draft = whole(
        """
        from ops.doubling import into

        def test_doubled():
            x = torch.randn(64, device=device)
            out = torch.zeros(64, device=device)
            for _ in range(1000):
                into(x, out)
            assert torch.allclose(out, x + x)
        """,
        ops__doubling=INTO,
    )

    assert "range(1000)" not in draft.texts.triton_code


def test_a_script_compares_like_a_test() -> None:
    draft = whole(
        """
        N = 64
        x = torch.rand(N, device=device)
        expected = x + x
        actual = doubled(x)
        print(f"The maximum difference is {torch.max(torch.abs(expected - actual))}")
        """
    )

    assert "x = torch.rand(64" in draft.texts.test_code or "N = 64" in draft.texts.test_code
    assert "return x + x" in function(draft.texts.python_code, draft.entry_point)


def test_statements_under_the_main_guard_belong_to_the_script() -> None:
    draft = whole(
        """
        if __name__ == "__main__":
            SIZE = 61
            x = torch.rand(SIZE, device=device)
            if torch.allclose(doubled(x), x + x):
                print("passed")
        """
    )

    assert "SIZE = 61" in draft.texts.test_code


def test_a_test_beside_a_launcher_is_found_by_its_name() -> None:
    outcomes = drafted(
        "",
        ops__doubling=DOUBLING
        + textwrap.dedent(
            """

            def test():
                x = torch.randn(61, device="cuda")
                assert torch.allclose(doubled(x), x + x)
            """
        ),
    )

    assert [one.missing for one in outcomes] == [None]


def test_values_of_a_call_in_a_comment_are_cases() -> None:
    draft = whole(
        """
        def test_doubled(m, n, dtype):
            x = torch.randn(m, n, dtype=dtype, device=device)
            assert torch.allclose(doubled(x), x + x)

        # test_doubled(16, 61, torch.float16)
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert (case["m"], case["n"], case["dtype"]) == (16, 61, "float16")


def test_sizes_that_nothing_gives_are_chosen_by_their_names() -> None:
    test = """
        def test_doubled({name}, dtype):
            x = torch.randn({name}, dtype=dtype, device=device)
            assert torch.allclose(doubled(x), x + x)
        """

    assert len(cases(whole(test.format(name="seq_len")).texts.test_code)) == 3
    assert only(test.format(name="mystery")).missing is Missing.INPUTS


def test_a_list_of_sizes_is_not_taken_for_one_size() -> None:
    draft = whole(
        """
        def test_doubled():
            shape = [16]
            x = torch.randn(shape, device=device)
            assert torch.allclose(doubled(x), x + x + torch.zeros(list(shape), device=device))
        """
    )

    reference = function(draft.texts.python_code, draft.entry_point)
    assert "list(x.shape[0])" not in reference
    assert "shape" in reference


def test_a_reference_that_holds_the_numbers_of_one_case_is_none() -> None:
    outcome = only(
        """
        def test_doubled():
            x = torch.arange(6, device=device)
            expected = torch.tensor([0, 2, 4, 6, 8, 10], device=device) + 0 * x
            assert torch.allclose(doubled(x), expected)
        """
    )

    assert outcome.missing is Missing.NO_COMPARISON


def test_the_sides_have_the_operations_name_and_a_launcher_of_that_name_another() -> None:
    test = """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose({call}, x + x)
        """
    launcher = DOUBLING.partition("class Doubling")[0]

    by_class = whole(test.format(call="Doubling.apply(x)"))
    (by_function,) = drafted(
        test.format(call="-doubled(-x)"),
        ops__doubling=launcher + "\n\nclass Doubling:\n    pass\n",
    )

    assert by_class.entry_point == "doubling"
    assert by_function.draft is not None
    assert by_function.draft.entry_point == "doubled"
    assert "def launch_doubled(x" in by_function.draft.texts.triton_code
    assert "return -launch_doubled(-x)" in by_function.draft.texts.triton_code


def test_a_launchers_sentence_is_the_docstring_of_both_sides() -> None:
    documented = DOUBLING.replace(
        "class Doubling(torch.autograd.Function):\n",
        "class Doubling(torch.autograd.Function):\n"
        '    """Computes twice the input.\n\n    Args:"""\n\n',
    )

    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(Doubling.apply(x), x + x)
        """,
        ops__doubling=documented,
    )

    assert '"""Compute twice the input."""' in draft.texts.python_code
    assert draft.texts.triton_code.count('"""Compute twice the input."""') == 1


def test_a_docstring_that_lists_arguments_is_no_sentence() -> None:
    assert first_sentence('def f(x):\n    """x: the input."""\n') == ""
    assert first_sentence('def f(x):\n    """Applies a rotary embedding to x."""\n') == (
        "Apply a rotary embedding to x."
    )


@pytest.mark.parametrize(
    ("docstring", "sentence"),
    [
        (
            "Copy accepted states to current states in-place.",
            "Copy accepted states to current states.",
        ),
        (
            "Counts the tokens of each expert in a single kernel.",
            "Count the tokens of each expert.",
        ),
        ("Verifies the tokens of a draft.", "Verify the tokens of a draft."),
        ("Launch the rewind kernel.", ""),
    ],
)
def test_a_sentence_tells_what_is_computed_and_not_how(docstring: str, sentence: str) -> None:
    assert first_sentence(f'def f(x):\n    """{docstring}"""\n') == sentence


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("LigerRMSNormFunction", "liger_rms_norm"),
        ("LigerSiLUMulFunction", "liger_silu_mul"),
        ("LigerDyTFunction", "liger_dyt"),
        ("SwiGLU", "swiglu"),
    ],
)
def test_words_of_several_capitals_stay_words(name: str, plain: str) -> None:
    assert to_snake_case(name) == plain


def test_the_inputs_name_no_device_that_is_already_the_default() -> None:
    draft = whole(
        """
        def made(n, *, device):
            return torch.zeros(n, device=device)

        @pytest.mark.parametrize("device", ["cuda"])
        def test_doubled(device):
            x = torch.randn(64, device=device).to(device) + made(64, device="cuda")
            assert torch.allclose(doubled(x), x + x)
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    assert "x = torch.randn(64) + made(64, device=device)\n" in made


def test_numbers_that_helpers_draw_are_the_same_in_each_process() -> None:
    draft = whole(
        """
        import random

        def length():
            return random.randint(3, 61)

        def test_doubled():
            x = torch.randn(length(), device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "random.seed(case['seed'])" in function(draft.texts.test_code, "make_inputs")


def test_a_case_whose_shape_holds_one_element_is_not_the_first() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("shape", [(), (0,), (4, 1), (3, 16), (5, 61)])
        def test_doubled(shape):
            x = torch.randn(shape, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    shapes = [case["shape"] for case in cases(draft.texts.test_code)]
    assert shapes[0] == (3, 16)
    assert (5, 61) in shapes


def test_inputs_may_be_made_with_numpy() -> None:
    draft = whole(
        """
        def test_doubled():
            import numpy as np

            x = torch.tensor(np.arange(64), dtype=torch.float32, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "import numpy as np" in draft.texts.test_code


@pytest.mark.parametrize("helper", ["assert_close", "check"])
def test_each_call_of_a_comparing_helper_compares_another_answer(helper: str) -> None:
    draft = whole(
        f"""
        def relative_error(a, b):
            return ((a - b).norm() / b.norm()).item()

        def assert_close(wanted, actual):
            error = (wanted - actual).abs().max().item()
            assert error < 1e-6 or relative_error(wanted, actual) < 0.005

        def check(wanted, actual):
            margin = 1e-3
            assert (wanted - actual).abs().max() < margin

        def test_doubled():
            x = torch.randn(64, device=device)
            both = doubled(x)
            first, second = both[:3], both[3:]
            ref_first, ref_second = x[:3] + x[:3], 2 * x[3:]
            {helper}(ref_first, first)
            {helper}(ref_second, second)
        """
    )

    reference = function(draft.texts.python_code, draft.entry_point)
    assert reference.endswith("return (first, second)")


def test_a_buffer_that_the_reference_fills_is_copied() -> None:
    draft = whole(
        """
        from ops.doubling import into

        def naive(x, out):
            out[:] = x + x

        def test_doubled():
            x = torch.randn(64, device=device)
            out = torch.empty(64, device=device).normal_(mean=0.1)
            wanted = torch.empty(64, device=device).normal_(mean=0.1)
            naive(x, wanted)
            into(x, out)
            assert torch.allclose(out, wanted)
        """,
        ops__doubling=INTO,
    )

    reference = function(draft.texts.python_code, draft.entry_point)
    assert reference.startswith("def doubling(x, out, wanted):\n    wanted = wanted.clone()\n")


def test_parts_that_a_loop_computes_from_its_variable_are_no_answers() -> None:
    outcome = only(
        """
        def test_doubled():
            x = torch.randn(4, 16, device=device)
            actual = doubled(x)
            expected = x + x
            for row in range(4):
                assert torch.allclose(actual[row, :row], expected[row, :row])
        """
    )

    assert outcome.missing is Missing.NO_COMPARISON


def test_the_variable_of_a_comprehension_in_a_helper_is_no_input() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(4, 16, device=device)
            for i in range(4):
                x[i] += i

            def naive(rows):
                return torch.stack([rows[i] + rows[i] for i in range(4)])

            assert torch.allclose(doubled(x), naive(x))
        """
    )

    assert "def doubling(x):" in draft.texts.triton_code


def test_a_move_of_all_inputs_to_the_device_is_left_out() -> None:
    draft = whole(
        """
        def test_doubled():
            x, y = torch.randn(64), torch.randn(64)
            x, y = map(lambda t: t.to(device).requires_grad_(True), (x, y))
            assert torch.allclose(doubled(x) + 0 * y, x + x)
        """
    )

    assert "map" not in draft.texts.test_code
