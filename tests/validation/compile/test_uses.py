"""What the syntax tree of a kernel says of its parameters. Nothing is compiled here."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validation.compile import kernels
from validation.compile.guess import Dtype, Parameter, first_guess
from validation.compile.uses import read_uses
from validation.compile.values import Use


def guessed(source: str, *constexprs: str, **known: int) -> dict[str, object]:
    """The first guess, types and values in one."""
    function = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "kernel"
    )
    parameters = [Parameter(each.arg, each.arg in constexprs) for each in function.args.args]
    guess = first_guess(parameters, read_uses(source, "kernel"), known)
    return {**guess.types, **guess.constants}


def test_an_address_is_a_pointer_and_a_size_a_power_of_two() -> None:
    seen = guessed(kernels.ADD, "BLOCK")

    assert seen["x"] == seen["y"] == seen["out"] == "*fp32"
    assert seen["BLOCK"] == 32


def test_pointers_are_followed_into_helpers_and_out_again() -> None:
    seen = guessed(kernels.THROUGH_HELPERS, "BLOCK")

    assert (seen["a"], seen["b"]) == ("*fp32", "*fp32")


def test_what_is_loaded_and_then_indexes_is_an_integer() -> None:
    seen = guessed(kernels.INDEXED, "BLOCK")

    assert seen["rows"] == "*i32"
    assert seen["table"] == "*fp32"
    assert seen["stride"] == "i32"


def test_what_is_loaded_and_then_loaded_through_is_an_address() -> None:
    assert guessed(kernels.POINTER_TABLE, "BLOCK")["tables"] == "*i64"


def test_what_is_multiplied_as_a_matrix_is_half_a_float() -> None:
    seen = guessed(kernels.MATMUL, "M", "N", "STEP", "T")

    assert (seen["a"], seen["b"], seen["c"]) == ("*fp16", "*fp16", "*fp32")
    assert seen["T"] == Dtype("float32")


def test_a_constant_is_what_it_is_compared_with() -> None:
    seen = guessed(kernels.SWITCHES, "KIND", "HAS_BIAS", "BLOCK")

    assert (seen["KIND"], seen["HAS_BIAS"]) == ("exp", True)


def test_items_of_a_tuple_have_types_of_their_own() -> None:
    seen = guessed(kernels.TUPLES, "BLOCK")

    assert seen["pointers"] == ("*fp32", "*fp32")
    assert seen["strides"] == ("i32", "i32")


def test_what_is_chosen_between_is_of_one_type() -> None:
    seen = guessed(kernels.CHOSEN, "BLOCK")

    assert seen["a"] == seen["b"] == "*fp32"
    assert seen["n"] == "i32"


def test_a_descriptor_is_known_by_its_methods() -> None:
    assert guessed(kernels.DESCRIPTOR, "SIDE")["source"] == "tensordesc<fp16[32, 32]>"


def test_a_value_of_its_own_tuning_goes_before_any_guess() -> None:
    assert guessed(kernels.ADD, "BLOCK", BLOCK=1024)["BLOCK"] == 1024


def test_recursion_and_deep_nesting_have_an_end() -> None:
    looping = kernels.unit("def kernel(x):\n    kernel(x)\n    other(x)\ndef other(x): kernel(x)\n")

    assert Use.POINTER not in read_uses(looping, "kernel").of(("x",)).kinds


def test_a_kernel_that_is_not_there_is_said() -> None:
    with pytest.raises(KeyError):
        read_uses("x = 1", "kernel")


@given(st.text(alphabet="abkernel()[]:=+*.,\n \t0'\"", max_size=80))
def test_whatever_parses_is_read(body: str) -> None:
    source = f"def kernel(a, b, k):\n    pass\n{body}"
    try:
        compile(source, "unit", "exec")
    except (SyntaxError, ValueError):
        return

    read_uses(source, "kernel")
