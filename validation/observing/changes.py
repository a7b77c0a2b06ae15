"""Changes that an observed run suggests. A change is kept if the draft still does the same."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from curation.source.branches import blocks, take_branch
from curation.source.functions import loaded_names, stored_names
from curation.source.text import Edits, parse, walk
from validation.observing.edits import (
    Change,
    Observed,
    Texts,
    change_of,
    is_about_layouts,
    is_ordered,
    putting,
    whole_lines,
)
from validation.observing.inputs import inputs
from validation.observing.instrument import inside_kernels, is_kernel
from validation.observing.merging import merge_helpers, standing
from validation.observing.modules import classes
from validation.observing.outcomes import branch_outcomes
from validation.observing.parameters import drop_parameters, find_calls, parameters_of, unread

DEVICES = re.compile(r"\.device\b|is_cuda")
BUILTINS = {*dir(builtins)}
OWN = ("make_inputs", "test_equivalence", "CASES", "TOLERANCE", "FIXED")
"""Names in the test that a checker reads. They are kept."""


def branches(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace each condition that had the same outcome in all runs by its branch."""
    for name, text in texts.items():
        tree = parse(text)
        decided = _decided(name, text, seen)
        for block in blocks(tree):
            for node in block:
                if isinstance(node, ast.If) and node in decided:
                    kept = node.body if decided[node] else node.orelse
                    edits = Edits(text)
                    take_branch(node, kept, edits, alone=len(block) == 1)
                    yield {name: edits.made()}
        values = [each.value for each in walk(tree) if isinstance(each, ast.Assign | ast.Return)]
        for expression in walk(tree):
            if isinstance(expression, ast.IfExp) and expression in decided:
                chosen = expression.body if decided[expression] else expression.orelse
                whole = expression in values
                yield change_of(name, text, putting(expression, chosen, whole=whole))


def _decided(name: str, text: str, seen: Observed) -> dict[ast.AST, bool]:
    """Return the conditions that had only one outcome, except for those that a checker varies.

    Host code that reads a tensor may compare values, which kernels that do nothing never wrote.
    """
    kernels, by_data = inside_kernels(parse(text)), seen["reads"] or name != "triton_code"
    decided: dict[ast.AST, bool] = {}
    for node, outcomes in branch_outcomes(name, text, seen).items():
        gone = node.orelse if True in outcomes else node.body
        varies = (by_data and is_ordered(node.test)) or (
            node not in kernels and is_about_layouts(node.test)
        )
        only_raises = isinstance(gone, list) and all(isinstance(each, ast.Raise) for each in gone)
        if len(outcomes) == 1 and (only_raises or not varies):
            decided[node] = True in outcomes
    return decided


def parameters(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace parameters of helpers that had the same value, such as None or True, in all calls."""
    for name, text in texts.items():
        tree = parse(text)
        values = seen["values"][name]
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef) or function.name in (entry, *OWN):
                continue
            calls = find_calls(tree, function.name)
            if is_kernel(function) or function.decorator_list or not calls:
                continue
            stored = frozenset().union(*map(stored_names, function.body))
            for parameter in parameters_of(function):
                known = [*values.get(function.lineno, {}).get(parameter.arg, ())]
                if _is_switch(known) and parameter.arg not in stored:
                    edits = Edits(text)
                    _replace_loads(function, parameter.arg, known[0], edits)
                    drop_parameters(function, {parameter.arg}, calls, edits)
                    yield {name: edits.made()}


def _is_switch(values: Sequence[str]) -> bool:
    """Return whether there is only one value, and it is None, a boolean or a string."""
    return len(values) == 1 and (
        values[0] in ("None", "True", "False") or values[0][:1] in ("'", '"')
    )


def idle_statements(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop statements of host code that do nothing, or that stand after a `return` or `raise`."""
    for name, text in texts.items():
        tree = parse(text)
        kernels = inside_kernels(tree)
        for scope in walk(tree):
            if not isinstance(scope, ast.FunctionDef) or scope in kernels:
                continue
            read = loaded_names(scope)
            for block in blocks(scope):
                ended = False
                for node in block:
                    if node not in kernels and (ended or _is_idle(node, block, read)):
                        edits = Edits(text)
                        edits.drop(node, alone=len(block) == 1)
                        yield {name: edits.made()}
                    ended |= isinstance(node, ast.Return | ast.Raise)


def _is_idle(node: ast.stmt, block: Sequence[ast.stmt], read: Collection[str]) -> bool:
    """Return whether a statement is a lone name, an empty loop, a `pass` beside code, a print, an
    assignment to names that are not `read`, or an assertion on constants or on the device."""
    match node:
        case ast.Expr(value=ast.Name()) | ast.For(body=[ast.Pass()]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
        case ast.Assign():
            names = _names(node)
            return bool(names) and not names & {*read}
        case ast.Assert(test=test):
            constant = not loaded_names(test) - BUILTINS
            return constant or bool(DEVICES.search(ast.unparse(test)))
    return isinstance(node, ast.Pass) and len(block) > 1


def unread_parameters(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop the parameters of helpers and kernels that their functions do not read."""
    for name, text in texts.items():
        tree = parse(text)
        for function, dropped, calls in unread(tree, (entry, *OWN)):
            edits = Edits(text)
            drop_parameters(function, dropped, calls, edits)
            yield {name: edits.made()}


def _names(node: ast.Assign) -> set[str]:
    """Return the names that an assignment binds, or no names if it also changes something else."""
    targets = [part for target in node.targets for part in walk(target)]
    plain = all(isinstance(each, ast.Name | ast.Tuple | ast.expr_context) for each in targets)
    return {each.id for each in targets if isinstance(each, ast.Name)} if plain else set()


def copies(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop copies in the reference, aliases, and assignments whose value is returned at once."""
    for node in walk(parse(texts["python_code"])):
        match node:
            case ast.Call(func=ast.Attribute(value=copied, attr="clone" | "detach" | "contiguous")):
                yield change_of("python_code", texts["python_code"], putting(node, copied))
    for name, text in texts.items():
        tree = parse(text)
        kernels = inside_kernels(tree)
        for function in walk(tree):
            if isinstance(function, ast.FunctionDef) and function not in kernels:
                yield from _second_names(name, text, function)


def _second_names(name: str, text: str, function: ast.FunctionDef) -> Iterator[Change]:
    read = [
        node
        for node in walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    for block in blocks(function):
        for statement, following in zip_longest(block, block[1:]):
            match statement:
                case ast.Assign(targets=[ast.Name(id=bound)], value=value):
                    uses = [node for node in read if node.id == bound]
                case _:
                    continue
            returned = [use for use in uses if getattr(following, "value", None) is use]
            if isinstance(value, ast.Name) or (returned and isinstance(following, ast.Return)):
                edits = Edits(text)
                for node in uses if isinstance(value, ast.Name) else returned:
                    edits.put(node, standing(edits.of(value)))
                edits.drop(statement, alone=False)
                yield {name: edits.made()}


def unrun_methods(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop methods that no case called. Without observations, drop each `backward`."""
    for name, text in texts.items():
        ran = seen["values"][name] if seen else {}
        for owner in parse(text).body:
            methods = owner.body if isinstance(owner, ast.ClassDef) else []
            for method in methods:
                if isinstance(method, ast.FunctionDef) and (
                    method.lineno not in ran if seen else method.name == "backward"
                ):
                    edits = Edits(text)
                    edits.replace(*whole_lines(edits, method, text), "")
                    yield {name: edits.made()}


def unused_definitions(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop the definitions and imports that the entry point does not use, even indirectly."""
    for name, text in texts.items():
        tree = parse(text)
        bound = [(node, stored_names(node) | _imported(node)) for node in tree.body]
        wanted = {*OWN} if name == "test_code" else {entry}
        for node, names in bound:
            if not names:
                wanted |= loaded_names(node)
        count = 0
        while count < len(wanted):
            count = len(wanted)
            for node, names in bound:
                if names & wanted:
                    wanted |= loaded_names(node)
        edits = Edits(text)
        for node, names in bound:
            if names and not names & wanted:
                edits.replace(*whole_lines(edits, node, text), "")
        if edits.made():
            yield {name: edits.made()}


def _imported(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {each.asname or each.name.partition(".")[0] for each in node.names}
    return set()


def _replace_loads(function: ast.FunctionDef, name: str, value: str, edits: Edits) -> None:
    for statement in function.body:
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id == name:
                edits.put(node, value)


RULES = (
    inputs, branches, parameters, copies, idle_statements, unread_parameters, unrun_methods,
    classes, merge_helpers, unused_definitions,
)  # fmt: skip
