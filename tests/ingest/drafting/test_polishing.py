"""What a reader does not need is left out of a whole draft."""

from __future__ import annotations

import textwrap

from ingest.drafting.folding import PLAIN, TENSOR, fold_function
from ingest.drafting.layout import wrap_lines
from ingest.drafting.naming import plain_name
from ingest.drafting.parameter_names import name_parameters
from ingest.drafting.plain_references import simplify_reference
from ingest.drafting.sentences import describe_names, find_sentence
from ingest.drafting.wrappers import merge_wrappers


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_a_function_that_passes_its_arguments_on_holds_the_called_code() -> None:
    merged = merge_wrappers(
        text(
            """
            # Scales.
            def launch(a, b, *, alpha=1, out=None):
                # Kept.
                message = f"{a.shape} and {b}"
                return kernel(a, alpha, key=b, a=a)


            def scaled(x, y):
                result = launch(x, b=y)
                return result
            """
        ),
        "scaled",
    )

    assert merged == text(
        """
        # Scales.
        def scaled(x, y):
            alpha = 1
            out = None
            # Kept.
            message = f"{x.shape} and {y}"
            return kernel(x, alpha, key=y, a=x)
        """
    )


def test_several_wrappers_are_merged_and_keep_annotations_and_docstrings() -> None:
    merged = merge_wrappers(
        text(
            """
            def inner(first: torch.Tensor):
                return first + 1


            @torch.no_grad()
            def outer(a: torch.Tensor, size: int) -> torch.Tensor:
                '''Add one.

                Args:
                    size: The size.
                '''
                return inner(a)


            def entry(x, n):
                return outer(x, n)
            """
        ).replace("'", '"'),
        "entry",
    )

    assert merged.startswith("@torch.no_grad()\ndef entry(x: torch.Tensor, n: int)")
    assert "        n: The size." in merged
    assert "return x + 1" in merged


def test_a_wrapper_stays_if_its_function_has_another_use_or_a_name_would_change_its_meaning() -> (
    None
):
    used = "def f(a):\n    return a\n\n\ng = f\n\n\ndef entry(x):\n    return f(x)\n"
    hides = "def f(a):\n    return a + x\n\n\ndef entry(x):\n    return f(x)\n"
    swapped = "def f(a, b):\n    return a - b\n\n\ndef entry(a, b):\n    return f(b, a)\n"
    decorated = "@cached\ndef f(a):\n    return a\n\n\ndef entry(x):\n    return f(x)\n"

    for kept in (used, hides, swapped, decorated):
        assert merge_wrappers(kept, "entry") == kept


def test_branches_that_a_fixed_argument_excludes_are_left_out() -> None:
    folded = fold_function(
        text(
            """
            def entry(x, y, n):
                out = None
                scale = 2
                training = False
                if out is None:
                    out = empty(x)
                if isinstance(x, torch.Tensor) and isinstance(n, torch.Tensor):
                    return both(x, n)
                elif training:
                    return trained(x)
                elif isinstance(x, torch.Tensor):
                    y = y if n is None else n
                    return launch(x, y, scale, training)
                return None
            """
        ),
        "entry",
        {"x": TENSOR, "n": PLAIN},
    )

    assert folded == text(
        """
        def entry(x, y, n):
            scale = 2
            out = empty(x)
            y = n
            return launch(x, y, scale, False)
        """
    )


def test_a_fixed_argument_that_is_written_to_decides_nothing_afterwards() -> None:
    code = text(
        """
        def entry(x):
            out = None
            for part in x:
                if out is None:
                    out = part
                later = lambda: 1 if out is None else 2
            if out is None:
                return x
            return out
        """
    )

    assert fold_function(code, "entry", {}) == code


IN_HALF = """
CASES = [{"n": 3, "dtype": "float16"}]

    x = torch.randn(n, dtype=dtype)
    y = torch.randn_like(x)
    counts = torch.randint(0, 3, (n,))
"""


def simplified(body: str, parameters: str = "x, y", test: str = IN_HALF) -> str:
    code = f"def entry({parameters}):\n{textwrap.indent(text(body), '    ')}"
    return textwrap.dedent(simplify_reference(code, "entry", test).partition("\n")[2])


def test_a_function_that_rounds_once_is_computed_in_the_type_of_its_inputs() -> None:
    wide = (
        "a = x.double()\nb = y.double()\nout = torch.add(a, b, alpha=2)\nreturn out.to(x.dtype)\n"
    )

    assert simplified(wide) == "return torch.add(x, y, alpha=2)\n"


def test_a_wide_type_that_counts_stays_where_it_is_used() -> None:
    product = "a = x.double()\nb = y.double()\nreturn torch.mm(a, b).to(x.dtype)\n"
    floored = "return torch.div(x.double(), y.double(), rounding_mode='floor').to(x.dtype)\n"
    integers = "return torch.add(x.double(), counts.double()).to(x.dtype)\n"

    assert simplified(product) == "return torch.mm(x.double(), y.double()).to(x.dtype)\n"
    assert simplified(floored) == floored
    assert simplified(integers, "x, counts") == integers


def test_a_reference_has_no_conversion_that_changes_nothing_and_prints_nothing() -> None:
    body = """
    print(x)
    if torch.is_tensor(y):
        out = torch.logical_or(x, y).to(torch.bool)
    else:
        out = torch.logical_or(x, y).to(torch.bool)
    return out
    """

    assert "print" not in simplified(body)
    assert "else" not in simplified(body)
    assert simplified("out = torch.any(x).to(torch.bool)\nreturn out\n") == "return torch.any(x)\n"
    bytes_too = IN_HALF.replace("float16", "uint8")
    assert ".to(torch.bool)" in simplified("return torch.any(x).to(torch.bool)\n", test=bytes_too)


def test_parameters_do_not_tell_of_a_side() -> None:
    python = "def entry(res_a, _tensor, ref_x, x):\n    return res_a + _tensor\n"
    triton = (
        "def entry(res_a, _tensor, ref_x, x):\n    a = 1\n    return f(res_a, weight=_tensor)\n"
    )

    named = name_parameters(python, triton, "entry")

    assert named[0] == "def entry(res_a, tensor, ref_x, x):\n    return res_a + tensor\n"
    assert named[1].startswith("def entry(res_a, tensor, ref_x, x):")
    assert "weight=tensor" in named[1]


def test_a_call_that_is_too_long_for_a_line_has_an_argument_a_line() -> None:
    arguments = ", ".join(f"argument_{number}=value_{number}" for number in range(6))
    code = f"def entry(x):\n    return torch.function({arguments}).to(x.dtype)\n"

    wrapped = wrap_lines(code, "entry")

    assert "    return torch.function(\n        argument_0=value_0,\n" in wrapped
    assert wrapped.endswith("        argument_5=value_5,\n    ).to(x.dtype)\n")
    assert max(map(len, wrapped.split("\n"))) <= 100


def test_an_operation_without_an_authors_sentence_has_that_of_the_vocabulary() -> None:
    assert plain_name("pow_func_tensor_scalar") == "pow_tensor_scalar"
    assert plain_name("LigerDyTFunction") == "dyt"
    assert describe_names(["logical_or_func"]) == "Compute the logical OR of two tensors."
    assert describe_names(["unheard_of", "ChunkKDAFunction"]) == (
        "Compute Kimi delta attention chunk by chunk."
    )
    assert describe_names(["chunk_gated_delta_rule_bwd"]) == (
        "Compute the gradients of the gated delta rule chunk by chunk."
    )
    assert describe_names(["unheard_of"]) == ""


def test_a_later_sentence_of_a_docstring_may_say_what_is_computed() -> None:
    source = 'def f():\n    """Torch baseline of it.\n\n    Computes the sum. Slowly.\n    """\n'

    assert find_sentence(source) == "Compute the sum."
