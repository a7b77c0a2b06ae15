"""Parameters of helpers and kernels, and the arguments that calls and launches pass to them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from curation.source.functions import signature
from curation.source.text import Edits, walk
from validation.observing.instrument import is_kernel

# Arguments of decorators with lists of parameter names. A name can be dropped from these.
LISTS = {"key", "do_not_specialize", "do_not_specialize_on_alignment"}
TRANSPARENT = {"torch.no_grad", "torch.no_grad()", "torch.compiler.disable"}
"""Decorators that pass on all arguments unchanged."""


def find_calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """Return the calls and launches of a function, or none if it has any other use."""
    calls = []
    uses = 0
    for node in walk(tree):
        match node:
            case ast.Name(id=other) if other == name:
                uses += 1
            case ast.Call(func=ast.Name(id=other) | ast.Subscript(value=ast.Name(id=other))):
                if other == name:
                    calls.append(node)
    unpacked = any(
        isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None)
        for call in calls
        for each in (*call.args, *call.keywords)
    )
    return calls if len(calls) == uses and not unpacked else []


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """Return the parameters that a call can pass by name, in order."""
    return [*function.args.args, *function.args.kwonlyargs]


def given_to(call: ast.Call, place: int, name: str) -> ast.expr | ast.keyword | None:
    """Return the argument that a call passes to a parameter, or None if it uses the default."""
    if place < len(call.args):
        return call.args[place]
    return next((each for each in call.keywords if each.arg == name), None)


def drop_parameters(
    function: ast.FunctionDef, names: Collection[str], calls: Sequence[ast.Call], edits: Edits
) -> None:
    """Remove parameters, their arguments in calls, and their names in lists of decorators."""
    parameters, defaults = parameters_of(function), signature(function.args).defaults
    ends = [
        (edits.start(each), edits.end(defaults.get(each.arg) or each.annotation or each))
        for each in parameters
    ]
    places = [place for place, each in enumerate(parameters) if each.arg in names]
    _cut(ends, places, edits)
    for call in calls:
        given = sorted([*call.args, *call.keywords], key=edits.start)
        gone = [given_to(call, place, parameters[place].arg) for place in places]
        numbers = [n for n, each in enumerate(given) if any(each is other for other in gone)]
        _cut([(edits.start(each), edits.end(each)) for each in given], numbers, edits)
    for listed in _lists(function):
        kept = [each for each in listed.elts if not _is_one_of(each, names)]
        if len(kept) < len(listed.elts):
            edits.put(listed, f"[{', '.join(map(edits.of, kept))}]")
    for decorator, written in _heuristics(function):
        pairs = list(zip(written.keys, written.values, strict=True))
        left = [(key, value) for key, value in pairs if key and not _is_one_of(key, names)]
        if not left:
            edits.drop_decorator(decorator)
        elif len(left) < len(pairs):
            inner = ", ".join(f"{edits.of(key)}: {edits.of(value)}" for key, value in left)
            edits.put(written, f"{{{inner}}}")


def _cut(ends: Sequence[tuple[int, int]], numbers: Sequence[int], edits: Edits) -> None:
    """Remove some elements of a list, each with its comma."""
    kept = [number for number in range(len(ends)) if number not in numbers]
    if not kept:
        if ends:
            edits.replace(ends[0][0], ends[-1][1], "")
        return
    for number in numbers:
        if lines := edits.own_lines(*ends[number]):
            edits.replace(*lines, "")
        elif number > kept[0]:
            edits.replace(ends[number - 1][1], ends[number][1], "")
    if kept[0] and not any(edits.own_lines(*ends[number]) for number in range(kept[0])):
        edits.replace(ends[0][0], ends[kept[0]][0], "")


def unread(
    tree: ast.Module, kept: Collection[str]
) -> Iterator[tuple[ast.FunctionDef, set[str], list[ast.Call]]]:
    """Yield each function with the parameters that its body does not read, and its calls.

    The functions named in `kept` are left out.
    """
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name in kept:
            continue
        if function.args.vararg or function.args.kwarg or function.args.posonlyargs:
            continue
        decorators = {ast.unparse(each) for each in function.decorator_list}
        if not is_kernel(function) and not decorators <= TRANSPARENT:
            continue
        read = {
            node.id for node in walk(ast.Module(function.body, [])) if isinstance(node, ast.Name)
        }
        names = {each.arg for each in parameters_of(function)} - read
        calls = find_calls(tree, function.name)
        if any(isinstance(call.func, ast.Subscript) for call in calls):
            names -= _named(tree, function)
        if names and calls:
            yield function, names, calls


def _named(tree: ast.Module, function: ast.FunctionDef) -> set[str]:
    """Return the names that grids, configurations and heuristics use as strings or keywords."""
    keys = {id(each) for listed in _lists(function) for each in listed.elts}
    keys |= {id(each) for _, written in _heuristics(function) for each in written.keys}
    named = {
        node.value
        for node in walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys
    }
    configured = [node for each in function.decorator_list for node in walk(each)]
    return named | {node.arg for node in configured if isinstance(node, ast.keyword) and node.arg}


def _lists(function: ast.FunctionDef) -> Iterator[ast.List]:
    for decorator in function.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg in LISTS and isinstance(keyword.value, ast.List):
                yield keyword.value


def _heuristics(function: ast.FunctionDef) -> Iterator[tuple[ast.Call, ast.Dict]]:
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=func, args=[ast.Dict() as written]) if ast.unparse(func).endswith(
                "heuristics"
            ):
                yield decorator, written


def _is_one_of(node: ast.expr, names: Collection[str]) -> bool:
    return isinstance(node, ast.Constant) and node.value in names
