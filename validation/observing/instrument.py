"""Instrumented copies of host code. They record the outcomes of conditions and the values of
parameters.

Kernels are not changed, because Triton reads their source.
"""

import ast
from collections import defaultdict
from typing import Any

NOTE_TEST, NOTE_CALL = "_note_test", "_note_call"
Place = tuple[int, int]
"""Line and column of a node in the text before the instrumentation."""


class Notes:
    """Recorded outcomes and values of all instrumented texts of a draft."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[Place, set[bool]]] = defaultdict(lambda: defaultdict(set))
        self.values: dict[str, dict[int, dict[str, set[str]]]] = defaultdict(dict)

    def names(self, text: str) -> dict[str, Any]:
        """Return the recording functions that an instrumented text calls, by name."""

        def note_test(line: int, column: int, value: Any) -> bool:
            outcome = bool(value)
            self.outcomes[text][line, column].add(outcome)
            return outcome

        def note_call(line: int, parameters: dict[str, Any]) -> None:
            values = self.values[text].setdefault(line, {})
            for name, value in parameters.items():
                values.setdefault(name, set()).add(described(value))

        return {NOTE_TEST: note_test, NOTE_CALL: note_call}

    def as_json(self) -> dict[str, Any]:
        return {
            "outcomes": {
                text: [[*place, sorted(seen)] for place, seen in places.items()]
                for text, places in self.outcomes.items()
            },
            "values": {
                text: {
                    str(line): {name: sorted(seen) for name, seen in parameters.items()}
                    for line, parameters in functions.items()
                }
                for text, functions in self.values.items()
            },
        }


def described(value: Any) -> str:
    """Return the literal of a constant, `...` for a tensor, or "" for others and for the device."""
    if type(value) in (type(None), bool, str, int, float) and value != "cpu":
        return repr(value)
    return "..." if hasattr(value, "data_ptr") else ""


def instrumented(text: str) -> str:
    """Return the text with added calls that record its conditions and parameters."""
    tree = _Instrumenting().visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree))


def is_kernel(function: ast.FunctionDef) -> bool:
    called = (each.func if isinstance(each, ast.Call) else each for each in function.decorator_list)
    return any(ast.unparse(each).rpartition(".")[2] == "jit" for each in called)


class _Instrumenting(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if is_kernel(node):
            return node
        self.generic_visit(node)
        arguments = node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args,
                                       *arguments.kwonlyargs)]  # fmt: skip
        given = ast.Dict(
            [*map(ast.Constant, names)], [ast.Name(name, ast.Load()) for name in names]
        )
        node.body.insert(0, ast.Expr(_call(NOTE_CALL, ast.Constant(node.lineno), given)))
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._noted(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._noted(node)

    def _noted(self, node: ast.If | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        place = ast.Constant(node.lineno), ast.Constant(node.col_offset)
        node.test = _call(NOTE_TEST, *place, node.test)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])
