"""Instrumented copies of host code. They record the outcomes of conditions and the values of
parameters.

Kernels are not changed, because Triton reads their source.
"""

import ast
from typing import Any

NOTE_TEST, NOTE_CALL = "_note_test", "_note_call"


class Notes:
    """Entries that the instrumented texts of a draft recorded since the last `take`.

    These are `("test", text, line, column, outcome)`, `("call", text, line, parameter, value)`
    with a parameter "" for each function that ran, and `("launch", kernel, constants)`.
    """

    def __init__(self) -> None:
        self._entries: set[tuple[Any, ...]] = set()

    def add(self, *entry: Any) -> None:
        self._entries.add(entry)

    def take(self) -> list[tuple[Any, ...]]:
        taken, self._entries = sorted(self._entries), set()
        return taken

    def names(self, text: str) -> dict[str, Any]:
        """Return the recording functions that an instrumented text calls, by name."""

        def note_test(line: int, column: int, value: Any) -> bool:
            outcome = bool(value)
            self.add("test", text, line, column, outcome)
            return outcome

        def note_call(line: int, parameters: dict[str, Any]) -> None:
            for name, value in [("", None), *parameters.items()]:
                self.add("call", text, line, name, described(value))

        return {NOTE_TEST: note_test, NOTE_CALL: note_call}


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


def inside_kernels(tree: ast.Module) -> set[ast.AST]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node for each in functions if is_kernel(each) for node in ast.walk(each)}


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
