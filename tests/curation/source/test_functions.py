"""Arguments of calls, bound to the parameters that they are for."""

import ast

import pytest

from curation.source.functions import Signature, dotted_name, is_docstring, signature, stored_names


def _signature(text: str) -> Signature:
    function = ast.parse(f"def f({text}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return signature(function.args)


def _bound(parameters: str, arguments: str) -> dict[str, str] | None:
    call = ast.parse(f"f({arguments})", mode="eval").body
    assert isinstance(call, ast.Call)
    values = _signature(parameters).bind(call)
    return values if values is None else {name: ast.unparse(v) for name, v in values.items()}


@pytest.mark.parametrize(
    ("parameters", "arguments", "bound"),
    [
        ("a, b=2, *, c=3", "1", {"a": "1", "b": "2", "c": "3"}),
        ("a, /, b=2, *, c", "x, c=y", {"a": "x", "b": "2", "c": "y"}),
        ("a, b", "b=1, a=2", {"a": "2", "b": "1"}),
        ("a, b", "1", None),
        ("a", "1, 2", None),
        ("a, b=0", "1, a=2", None),
        ("a", "b=1", None),
        ("a", "*x", None),
        ("a", "**x", None),
    ],
)
def test_a_call_is_bound_as_python_binds_it(
    parameters: str, arguments: str, bound: dict[str, str] | None
) -> None:
    assert _bound(parameters, arguments) == bound


def test_a_bound_method_has_no_first_parameter() -> None:
    assert _signature("self, a, *, b=1").without_first().names == ("a", "b")


def test_names_of_expressions_and_statements() -> None:
    module = ast.parse('"""Text."""\na.b.c = [x for x in y]\nfor k, v in d: pass\n')

    assert is_docstring(module.body[0])
    assert dotted_name(ast.parse("a.b.c", mode="eval").body) == ("a", "b", "c")
    assert dotted_name(ast.parse("a().b", mode="eval").body) is None
    assert stored_names(module) == {"k", "v"}
