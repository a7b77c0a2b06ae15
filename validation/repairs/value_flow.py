"""Data flow through the assignments of a kernel."""

import ast
from collections.abc import Iterator

from validation.repairs.source import in_order

# Calls that combine lanes, so that lanes of the result differ from those of the operand.
COMBINING = {
    "sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "cumsum", "cumprod",
    "associative_scan", "sort", "topk", "dot",
}  # fmt: skip


def called(node: ast.AST) -> str:
    """Return the last name of a called function, or an empty text for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def combines(node: ast.AST) -> bool:
    return called(node) in COMBINING


def parents(scope: ast.AST) -> dict[int, ast.AST]:
    """Return the parent of each node, by the node's id."""
    return {id(child): node for node in ast.walk(scope) for child in ast.iter_child_nodes(node)}


def names(node: ast.AST) -> set[str]:
    return {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)}


def assignments(kernel: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the assigned names with their values, in source order.

    The value of `a += b` is `b`. Each name in a tuple is yielded with the full value.
    """
    for node in in_order(kernel):
        if isinstance(node, ast.Assign | ast.AugAssign) or (
            isinstance(node, ast.AnnAssign) and node.value
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for leaf in ast.walk(target):
                    if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store):
                        assert node.value  # noqa: S101 - as above
                        yield leaf.id, node.value


def values_of(kernel: ast.AST, name: str) -> list[ast.expr]:
    return [value for target, value in assignments(kernel) if target == name]


def sources(kernel: ast.AST, node: ast.AST) -> Iterator[ast.AST]:
    """Yield an expression, and the values of names that it depends on."""
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        yield (current := waiting.pop())
        for name in sorted(names(current) - seen):
            seen.add(name)
            waiting += values_of(kernel, name)


def is_computed_from(kernel: ast.AST, node: ast.AST, name: str) -> bool:
    """Return whether an expression calls `tl.name`, directly or through names."""
    return any(called(leaf) == name for root in sources(kernel, node) for leaf in ast.walk(root))


def users(kernel: ast.AST, start: ast.expr) -> list[ast.expr]:
    """Return calls and operations on an expression's lanes, in source order.

    Inner ones come first. Calls that combine lanes end the flow. Code before `start` is ignored.
    """
    live: set[str] = set()
    result: list[ast.expr] = []
    for node in in_order(kernel):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            result += _using(node, start, live)
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AugAssign):
                targets = [node.target]
            value = getattr(node, "value", None)
            if value is not None and _has_lanes(value, start, live):
                live |= set().union(*map(names, targets)) if targets else set()
    return result


def _using(node: ast.AST, start: ast.expr, live: set[str]) -> list[ast.expr]:
    inner = [user for child in ast.iter_child_nodes(node) for user in _using(child, start, live)]
    if (
        isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp)
        and node is not start
        and any(_has_lanes(child, start, live) for child in ast.iter_child_nodes(node))
    ):
        inner.append(node)
    return inner


def _has_lanes(node: ast.AST, start: ast.expr, live: set[str]) -> bool:
    if node is start:
        return True
    if combines(node):
        return False
    if isinstance(node, ast.Name):
        return node.id in live and isinstance(node.ctx, ast.Load)
    return any(_has_lanes(child, start, live) for child in ast.iter_child_nodes(node))
