"""What the syntax tree of a kernel says of its parameters. Nothing is compiled here."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validation.compile import kernels
from validation.compile.guess import Dtype, Guessed, first_guess
from validation.compile.uses import read_uses
from validation.compile.value_sources import UseKind


def guessed(source: str, *constexprs: str, **known: int) -> dict[str, object]:
    """The first guess, types and values in one."""
    function = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "kernel"
    )
    parameters = [Guessed(each.arg, each.arg in constexprs) for each in function.args.args]
    guess = first_guess(parameters, read_uses(source, "kernel"), known)
    return {**guess.types, **guess.constants}


def test_an_address_is_a_pointer_and_a_size_a_power_of_two() -> None:
    seen = guessed(kernels.ADD, "BLOCK")

    assert seen["x"] == seen["y"] == seen["out"] == "*fp32"
    assert seen["BLOCK"] == 32


def test_pointer_types_are_inferred_through_helpers() -> None:
    seen = guessed(kernels.THROUGH_HELPERS, "BLOCK")

    assert (seen["a"], seen["b"]) == ("*fp32", "*fp32")


def test_a_loaded_value_used_as_an_index_is_an_integer() -> None:
    seen = guessed(kernels.INDEXED, "BLOCK")

    assert seen["rows"] == "*i32"
    assert seen["table"] == "*fp32"
    assert seen["stride"] == "i32"


def test_a_loaded_value_used_as_a_pointer_is_an_address() -> None:
    assert guessed(kernels.POINTER_TABLE, "BLOCK")["tables"] == "*i64"


def test_an_operand_of_a_matrix_product_is_float16() -> None:
    seen = guessed(kernels.MATMUL, "M", "N", "STEP", "T")

    assert (seen["a"], seen["b"], seen["c"]) == ("*fp16", "*fp16", "*fp32")
    assert seen["T"] == Dtype("float32")


def test_a_constexpr_gets_the_value_that_it_is_compared_with() -> None:
    seen = guessed(kernels.SWITCHES, "KIND", "HAS_BIAS", "BLOCK")

    assert (seen["KIND"], seen["HAS_BIAS"]) == ("exp", True)


def test_items_of_a_tuple_have_separate_types() -> None:
    seen = guessed(kernels.TUPLES, "BLOCK")

    assert seen["pointers"] == ("*fp32", "*fp32")
    assert seen["strides"] == ("i32", "i32")


def test_alternatives_of_a_selection_have_the_same_type() -> None:
    seen = guessed(kernels.CHOSEN, "BLOCK")

    assert seen["a"] == seen["b"] == "*fp32"
    assert seen["n"] == "i32"


def test_a_descriptor_parameter_is_recognized_by_its_methods() -> None:
    assert guessed(kernels.DESCRIPTOR, "SIDE")["source"] == "tensordesc<fp16[32, 32]>"


def test_an_autotune_value_takes_precedence_over_a_guess() -> None:
    assert guessed(kernels.ADD, "BLOCK", BLOCK=1024)["BLOCK"] == 1024


def test_reading_recursive_kernels_ends() -> None:
    looping = kernels.unit("def kernel(x):\n    kernel(x)\n    other(x)\ndef other(x): kernel(x)\n")

    assert UseKind.POINTER not in read_uses(looping, "kernel").of(("x",)).kinds


def test_reading_the_uses_of_a_missing_kernel_raises_key_error() -> None:
    with pytest.raises(KeyError):
        read_uses("x = 1", "kernel")


@given(st.text(alphabet="abkernel()[]:=+*.,\n \t0'\"", max_size=80))
def test_any_source_that_parses_can_be_read(body: str) -> None:
    source = f"def kernel(a, b, k):\n    pass\n{body}"
    try:
        compile(source, "unit", "exec")
    except (SyntaxError, ValueError):
        return

    read_uses(source, "kernel")
