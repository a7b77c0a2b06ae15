"""A finished draft has one set of names, and prose on its own code alone."""

from __future__ import annotations

import textwrap

import pytest

from ingest.drafting.outcomes import (
    DraftPlace,
    DraftTexts,
    LaunchedOperation,
    OperationDraft,
    Rule,
)
from ingest.drafting.reading.naming import entry_names, is_part, plain_name
from ingest.drafting.writing.finishing import drop_unread_keys, finish
from ingest.drafting.writing.layout import lay_out
from ingest.drafting.writing.prose import clean_prose
from tests.ingest.drafting.repositories import whole

PLACE = DraftPlace("ops/gated_scan.py", 1, 9)


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def finished(python: str, triton: str, test: str, taken: tuple[str, ...] = ()) -> OperationDraft:
    texts = DraftTexts(text(python), text(triton), text(test))
    draft = OperationDraft(Rule.NAMED_FUNCTION, "run_scale", PLACE, texts)
    return finish(draft, LaunchedOperation("ScaleFunction", PLACE, ()), taken)


PYTHON = '''
import torch


def scale_ref(x, w):
    """Reference implementation of the kernel for its tests.

    The weights are broadcast.
    """
    out_ref = x * w
    return out_ref


def run_scale(ref_w, eps, x):
    """Scale each row."""
    ref_y = scale_ref(x, ref_w)
    return ref_y + eps
'''
TRITON = '''
import torch
import triton


@triton.jit
def scale_kernel(x, w, eps):  # noqa: N803
    # tl.store(x, w)
    # TODO: autotune
    pass


def scale(x, w, eps):
    """Scale a tensor in Triton.

    Args:
        x (Tensor): the input,
            of any shape.
        state (Tensor): A first state.
            Default: `None`.
        eps: see OTHER_OPTION

    Examples::
        >>> scale(x, w, 1)
    """
    # On AMD a wider block is faster.
    y = torch.empty_like(x)  # unlike USE_BIAS
    # y.fill_(0)
    scale_kernel[(1,)](x, w, eps)
    return y


def run_scale(ref_w, eps, x):
    """Scale each row."""
    return scale(x, ref_w, eps=eps)
'''
TEST = """
from python_code import run_scale as reference
from triton_code import run_scale as candidate

CASES = [
    {'n': 3, 'unread': 1, 'dtype': 'float32', 'seed': 0},
    {'n': 3, 'unread': 2, 'dtype': 'float32', 'seed': 1},
    {'n': 4, 'unread': 1, 'dtype': 'float32', 'seed': 2},
]


def make_inputs(case, device):
    eps = 1
    layer_ref = Layer(case["n"])
    acme_weight = layer_ref.w
    acme_x = torch.randn(case["n"])
    return (acme_weight, eps, acme_x)
"""


def test_a_draft_has_one_set_of_names_and_prose_on_its_own_code() -> None:
    draft = finished(PYTHON, TRITON, TEST)

    assert draft.entry_point == "scale"
    assert draft.texts.python_code == text(
        '''
        import torch


        def compute_scale(x, w):
            """The weights are broadcast."""
            out = x * w
            return out


        def scale(x, w, eps):
            """Scale each row."""
            y = compute_scale(x, w)
            return y + eps
        '''
    )
    assert draft.texts.triton_code == text(
        '''
        import torch
        import triton


        @triton.jit
        def scale_kernel(x, w, eps):
            # tl.store(x, w)
            pass


        def launch_scale(x, w, eps):
            """Scale a tensor.

            Args:
                x (Tensor): the input,
                    of any shape.
            """
            y = torch.empty_like(x)
            scale_kernel[(1,)](x, w, eps)
            return y


        def scale(x, w, eps):
            """Scale each row."""
            return launch_scale(x, w, eps=eps)
        '''
    )
    assert draft.texts.test_code == text(
        """
        from python_code import scale as reference
        from triton_code import scale as candidate

        CASES = [
            {'n': 3, 'dtype': 'float32', 'seed': 0},
            {'n': 4, 'dtype': 'float32', 'seed': 2},
        ]


        def make_inputs(case, device):
            eps = 1
            layer = Layer(case["n"])
            w = layer.w
            x = torch.randn(case["n"])
            return (x, w, eps)
        """
    )


def test_each_draft_of_a_repository_has_a_name_of_its_own() -> None:
    taken: list[str] = []
    for _ in range(4):
        taken.append(finished(PYTHON, TRITON, TEST, tuple(taken)).entry_point)

    assert taken == ["scale", "tensor_scale", "gated_scan_scale", "scale_2"]


def test_names_that_a_text_already_uses_stay() -> None:
    python = """
        def op_ref(x):
            return x


        def run_scale(ref_x, x_ref, y):
            state_ref = y + 1
            y_ref = f(state_ref=2)
            return op_ref(ref_x + x_ref), y_ref
        """

    written = finished(python, python, TEST).texts.python_code

    assert "def op(x):" in written
    assert "def scale(x, x_ref, y):" in written
    assert "state_ref = y + 1" in written
    assert "return op(x + x_ref), new_y" in written


def test_names_in_formatted_texts_and_lists_of_parameters_change_too() -> None:
    python = '''
        def run_scale(attorch_x):
            """Scale a tensor.

            Args:
                attorch_x: The tensor.
            """
            return f"{attorch_x.shape}: attorch_x"
        '''

    written = finished(python, python, TEST).texts.python_code

    assert "        x: The tensor.\n" in written
    assert 'return f"{x.shape}: attorch_x"' in written


@pytest.mark.parametrize(
    "code",
    [
        'def f(x):\n    """Double x.\n\n    Of 2 * x_i each.\n    """\n    return 2 * x\n',
        "# Adapted from MODELING_LLAMA of https://example.org/some_repository\nx = 1\n",
        "def f(:\n    # TODO\n",
    ],
)
def test_prose_on_a_texts_own_code_or_origin_stays(code: str) -> None:
    assert clean_prose(code) == code


def test_a_docstring_loses_paragraphs_and_headings_on_what_is_absent() -> None:
    code = text(
        '''
        def f(x, block_size):
            """Add block_size.

            With `skip_first`, the first row stays.

            The result is x_i + 1.

            Args:
                x: as in `other_module`

            Returns:
                Tensor: the sum
            """
            return x + block_size  # noqa: F811
        '''
    )

    assert clean_prose(code) == text(
        '''
        def f(x, block_size):
            """Add block_size.

            The result is x_i + 1.

            Returns:
                Tensor: the sum
            """
            return x + block_size
        '''
    )


def test_a_list_without_parameters_goes_with_its_heading() -> None:
    code = 'def f(x):\n    """Scale.\n\n    Args:\n        state: a state\n    """\n    return x\n'

    assert clean_prose(code) == 'def f(x):\n    """Scale."""\n    return x\n'


def test_what_is_too_long_for_a_line_has_an_element_a_line() -> None:
    arguments = ", ".join(f"argument_{number}=value_{number}" for number in range(6))
    values = ", ".join(f"a_long_name_of_result_{number}.to(x.dtype)" for number in range(3))
    code = f"def f(x):\n    y = torch.function({arguments}).to(x)\n    return ({values})\n"

    wrapped = lay_out(code, "f")

    assert "    y = torch.function(\n        argument_0=value_0,\n" in wrapped
    assert "        argument_5=value_5,\n    ).to(x)\n    return (\n" in wrapped
    assert max(map(len, wrapped.split("\n"))) <= 100


def test_empty_lines_inside_of_functions_are_single_but_for_those_of_texts() -> None:
    code = 'def f(x):\n    y = """a\n\n\n    b"""\n\n\n    return y\n'

    assert lay_out(code, "f") == 'def f(x):\n    y = """a\n\n\n    b"""\n\n    return y\n'


def test_cases_stay_if_each_key_is_read_or_fixed() -> None:
    test = 'FIXED = {"n"}\nCASES = [\n    {"n": 3, "seed": 0},\n]\n'

    assert drop_unread_keys(test) == test


def test_a_helper_of_a_launcher_does_not_name_the_operation() -> None:
    assert plain_name("pow_func_tensor_scalar") == "pow_tensor_scalar"
    assert plain_name("LigerDyTFunction") == "dyt"
    assert is_part("copy_func", "repeat_interleave_self_int", "repeat_interleave")
    assert is_part("clamp_func_max", "clamp", "clamp")
    assert not is_part("le_func_scalar", "le_scalar", "le")
    assert not is_part("silu_kernel", "silu_and_mul", "")
    assert entry_names("copy_func", ["repeat_interleave"], "repeat_interleave")[0] == (
        "repeat_interleave"
    )
    assert entry_names("ChunkFunction", ["chunk_gla"])[0] == "chunk_gla"


def test_answers_are_in_the_launchers_order() -> None:
    draft = whole(
        """
        def both(x):
            return doubled(x), x.shape[0] * x

        def test_doubled():
            x = torch.randn(64, device="cuda")
            y, scaled = both(x)
            assert torch.allclose(scaled, 64 * x)
            assert torch.allclose(y, x + x)
        """
    )

    assert "return doubled(x), x.shape[0] * x" in draft.texts.triton_code
    assert "return (x + x, 64 * x)" in draft.texts.python_code


def test_the_only_dtype_of_a_test_is_that_of_its_cases() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("input_dtype", [torch.float16, torch.float32])
        def test_doubled(input_dtype):
            x = torch.randn(64, dtype=input_dtype, device="cuda")
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert 'input_dtype = getattr(torch, case["dtype"])' in draft.texts.test_code
    assert "{'dtype': 'float16', 'seed': 0}" in draft.texts.test_code
