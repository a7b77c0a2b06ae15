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


@pytest.mark.parametrize(
    ("name", "constexprs", "expected"),
    [
        ("add", "BLOCK", {"x": "*fp32", "y": "*fp32", "out": "*fp32", "BLOCK": 32}),
        ("through_helpers", "BLOCK", {"a": "*fp32", "b": "*fp32"}),
        ("indexed", "BLOCK", {"rows": "*i32", "table": "*fp32", "stride": "i32"}),
        ("pointer_table", "BLOCK", {"tables": "*i64"}),
        ("matmul", "M N STEP T", {"a": "*fp16", "b": "*fp16", "c": "*fp32", "T": Dtype("float32")}),
        ("switches", "KIND HAS_BIAS BLOCK", {"KIND": "exp", "HAS_BIAS": True}),
        ("tuples", "BLOCK", {"pointers": ("*fp32", "*fp32"), "strides": ("i32", "i32")}),
        ("chosen", "BLOCK", {"a": "*fp32", "b": "*fp32", "n": "i32"}),
        ("descriptor", "SIDE", {"source": "tensordesc<fp16[32, 32]>"}),
    ],
)
def test_the_uses_of_a_parameter_give_its_type_or_value(
    name: str, constexprs: str, expected: dict[str, object]
) -> None:
    seen = guessed(kernels.program(name), *constexprs.split())

    assert {parameter: seen[parameter] for parameter in expected} == expected


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
