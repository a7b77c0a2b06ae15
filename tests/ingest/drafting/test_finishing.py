"""A finished draft takes its inputs as the launcher does, and names them alike everywhere."""

from __future__ import annotations

import textwrap

from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.writing.helper_names import name_helpers
from ingest.drafting.writing.input_names import name_inputs
from ingest.drafting.writing.parameter_names import name_locals, name_parameters
from ingest.drafting.writing.parameter_order import order_parameters


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def made(lines: str, handed: str, cases: str = '{"n": 3, "seed": 0}', rest: str = "") -> str:
    inner = textwrap.indent(text(lines), " " * 4)
    return (
        f"CASES = [\n    {cases},\n]\n\n\ndef make_inputs(case, device):\n"
        f"{inner}    return ({handed})\n{rest}"
    )


def sides(parameters: str, python: str, triton: str, test: str) -> DraftTexts:
    head = f"def op({parameters}):\n"
    launch = "def launch(x, weight, eps):\n    return x\n\n\n"
    return DraftTexts(
        head + textwrap.indent(text(python), "    "),
        launch + head + textwrap.indent(text(triton), "    "),
        test,
    )


def test_parameters_stand_in_the_order_of_the_launcher() -> None:
    texts = order_parameters(
        sides(
            "eps, other, w, x",
            "return x * w + other",
            "flat = x.view(-1)\nreturn launch(flat, eps=eps, weight=w)",
            made("eps = 1\n", "eps, other, w, x"),
        ),
        "op",
    )

    assert texts.python_code.startswith("def op(x, w, eps, other):")
    assert "def op(x, w, eps, other):" in texts.triton_code
    assert "return (x, w, eps, other)" in texts.test_code


def test_parameters_that_no_call_takes_together_stay_in_place() -> None:
    given = sides("w, x", "return x * w", "return launch(x) * w", made("w = 1\n", "w, x"))

    assert order_parameters(given, "op") == given


def test_inputs_have_the_names_of_the_parameters() -> None:
    texts = name_inputs(
        sides(
            "input, weight",
            "return input",
            "return input",
            made(
                """
                input_dtype = getattr(torch, case["input_dtype"])
                ref_layer = Norm(3)
                acme_input = torch.randn(3, dtype=input_dtype)
                acme_weight = ref_layer.weight
                """,
                "acme_input, acme_weight",
                '{"input_dtype": "float16", "dtype": "float16", "seed": 0}',
            ),
        ),
        "op",
    )

    assert texts.test_code == made(
        """
        dtype = getattr(torch, case["dtype"])
        layer = Norm(3)
        input = torch.randn(3, dtype=dtype)
        weight = layer.weight
        """,
        "input, weight",
        '{"dtype": "float16", "seed": 0}',
    )


def test_a_second_type_that_differs_in_a_case_stays() -> None:
    given = sides(
        "x",
        "return x",
        "return x",
        made(
            'kind = getattr(torch, case["kind"])\nx = torch.randn(3, dtype=kind)\n',
            "x,",
            '{"kind": "float32", "dtype": "float16", "seed": 0}',
        ),
    )

    assert name_inputs(given, "op") == given


def test_helpers_of_a_reference_do_not_name_their_side() -> None:
    written = '''
        def softmax_ref(x):
            """Dense reference for softmax_triton.

            Along the last axis.
            """
            out_torch = x.softmax(-1)
            return out_torch


        def op(x):
            return softmax_ref(x)
        '''

    assert name_helpers(text(written), "op") == text(
        '''
        def softmax(x):
            """Along the last axis.
            """
            out = x.softmax(-1)
            return out


        def op(x):
            return softmax(x)
        '''
    )


def test_a_helper_keeps_its_name_where_the_plain_one_is_taken() -> None:
    written = text(
        """
        def op_ref(x):
            return x


        def op(x):
            return op_ref(x)
        """
    )

    assert name_helpers(written, "op") == written


def test_a_helper_leaves_the_name_of_the_operation_to_the_draft() -> None:
    written = "def scan_ref(x):\n    return x\n\n\ndef op(x):\n    return scan_ref(x)\n"

    assert name_helpers(written, "op", {"scan"}) == written.replace("scan_ref", "compute_scan")


def test_a_docstring_that_is_only_about_the_other_side_goes() -> None:
    written = text(
        '''
        def softmax_ref(x):
            """Reference implementation used for tests.

            Args:
                x: A tensor.
            """
            return x.softmax(-1)
        '''
    )

    assert name_helpers(written, "op") == "def softmax(x):\n    return x.softmax(-1)\n"


def test_a_docstring_has_the_new_names_of_parameters() -> None:
    written = text(
        '''
        def op(attorch_input):
            """Double a tensor.

            Args:
                attorch_input: The tensor.
            """
            return attorch_input * 2
        '''
    )

    changed, _ = name_parameters(written, written, "op")

    assert "        input: The tensor." in changed


def test_a_helper_of_an_operation_that_computes_has_another_verb() -> None:
    written = (
        "def compute_sum_ref(x):\n    return x\n\n\ndef op(x):\n    return compute_sum_ref(x)\n"
    )
    expected = written.replace("compute_sum_ref", "find_sum")

    assert name_helpers(written, "op", {"compute_sum"}) == expected


def test_a_variable_beside_the_parameter_of_its_plain_name_is_new() -> None:
    written = "def op(state):\n    state_ref = state + 1\n    return state_ref\n"

    assert name_locals(written, "op") == written.replace("state_ref", "new_state")
