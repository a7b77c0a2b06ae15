"""Queries of a syntax tree."""

import ast


def parameters_of(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def last_name(callee: ast.expr) -> str:
    match callee:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def literals(node: ast.expr) -> list[object]:
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return [e.value for e in elements if isinstance(e, ast.Constant)]
        case _:
            return []
