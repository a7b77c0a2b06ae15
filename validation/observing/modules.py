"""Classes that a side of the pair calls in only one place, rewritten as functions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from curation.source.branches import blocks
from curation.source.functions import is_docstring, loaded_names, named_arguments, signature
from curation.source.text import Edits, parse, walk
from validation.observing.edits import Change, Observed, Texts, body_start, copied
from validation.observing.merging import SIDES
from validation.observing.parameters import drop_parameters

MOVES = {"to", "cuda", "float", "half", "bfloat16", "eval"}


@dataclass
class _Module:
    """A module that a function constructs and calls."""

    construction: ast.Call
    is_moved: bool = False
    assignment: ast.stmt | None = None
    calls: list[ast.Call] = field(default_factory=list)


def classes(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Rewrite modules, and autograd Functions without a backward pass, as functions."""
    for name in SIDES:
        text = texts[name]
        tree = parse(text)
        for module in _modules(tree):
            last = _last_name(module.construction.func)
            owners = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == last]
            edits = Edits(text)
            if owners and _is_written(module, owners[0], edits, text):
                yield {name: edits.made()}
        for node in tree.body:
            edits = Edits(text)
            if isinstance(node, ast.ClassDef) and _is_plain_function(tree, node, edits, text):
                yield {name: edits.made()}


def _modules(tree: ast.Module) -> Iterator[_Module]:
    parents = {child: node for node in walk(tree) for child in ast.iter_child_nodes(node)}
    names = [node for node in walk(tree) if isinstance(node, ast.Name)]
    for node in walk(tree):
        if not isinstance(node, ast.Call) or not _last_name(node.func)[:1].isupper():
            continue
        made: ast.AST = node
        module = _Module(node)
        while isinstance(method := parents[made], ast.Attribute) and method.attr in MOVES:
            made, module.is_moved = parents[method], True
        uses: list[ast.AST] = [made]
        match parents[made]:
            case ast.Assign(targets=[ast.Name(id=name) as target]) as statement:
                function = parents[statement]
                uses = [
                    n for n in walk(function) if n in names and n.id == name and n is not target
                ]
                module.assignment = statement
        for use in uses:
            match parents[use]:
                case ast.Call(func=func) as call if func is use:
                    module.calls.append(call)
        if len(module.calls) == len(uses) > 0:
            yield module


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _is_written(module: _Module, owner: ast.ClassDef, edits: Edits, text: str) -> bool:
    """Rewrite the constructor and the forward pass of a module as one function."""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    forward, init = methods.get("forward"), methods.get("__init__")
    takes = signature(forward.args).without_first() if forward else None
    if forward is None or takes is None or not takes.names:
        return False
    bound = [takes.bind(call) for call in module.calls]
    if None in bound:
        return False
    made = named_arguments(module.construction)
    if init is not None:
        builds = signature(init.args).without_first()
        made = {**builds.defaults, **builds.given(module.construction)}
    left_out = re.compile(r"super\(|assert |['\"]")
    steps = [step for step in init.body if not left_out.match(ast.unparse(step))] if init else []
    aliases = [_aliases(step, made) for step in steps]
    variables = {name: value for each in aliases for name, value in each.items()}
    variables.setdefault("training", "True")
    steps = [step for step, names in zip(steps, aliases, strict=True) if not names]
    read = Counter(name for each in [forward, *steps] for name in {*_attributes(each)})
    steps = [step for step in steps if any(read[name] > 1 for name in _attributes(step))]
    documented = is_docstring(forward.body[0])
    body = [*forward.body[:documented], *steps, *forward.body[documented:]]
    inner = Edits(text)
    for node in (node for step in steps for node in walk(step)):
        match node:
            case ast.Call(func=func, args=[value]) if ast.unparse(func).endswith("Parameter"):
                place = f".to({takes.names[0]})" if module.is_moved else ""
                inner.put(node, edits.of(value) + place)
    parts = [copied(text, inner, body_start(text, each), edits.end(each)) for each in body]
    name = _function_name(owner.name, text)
    lines = "\n".join(parts).replace("\n    ", "\n").removeprefix("    ")
    head = f"def {name}({', '.join([*takes.names, *made])}):"
    plain = re.sub(r"\bself\.(\w+)", lambda part: variables.get(part[1], part[1]), lines)
    edits.put(owner, f"{head}\n{plain}")
    for call, values in zip(module.calls, bound, strict=True):
        given = map(ast.unparse, [*(values or {}).values(), *made.values()])
        edits.put(call, f"{name}({', '.join(given)})")
    if module.assignment is not None:
        edits.drop(module.assignment, alone=False)
    return True


def _attributes(node: ast.AST) -> list[str]:
    return re.findall(r"\bself\.(\w+)", ast.unparse(node))


def _aliases(step: ast.stmt, made: Collection[str]) -> dict[str, str]:
    """Return the constructor parameters that a step only stores as attributes, by attribute."""
    match step:
        case ast.Assign(targets=[target], value=value):
            values = getattr(value, "elts", [value])
            if all(isinstance(each, ast.Name) and each.id in made for each in values):
                return dict(zip(_attributes(target), map(ast.unparse, values), strict=False))
    return {}


def _function_name(owner: str, text: str) -> str:
    """Return a name for the function that replaces a class. The text must not use it yet."""
    short = re.sub(r"(Function|AutoGrad|Fn)$", "", owner)
    parts = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
    names = [f"{parts.sub('_', each).lower().strip('_')}_forward" for each in (short, owner)]
    return next((name for name in names if not re.search(rf"\b{name}\b", text)), names[-1])


def _is_plain_function(tree: ast.Module, owner: ast.ClassDef, edits: Edits, text: str) -> bool:
    """Rewrite an autograd Function as a function if its only method is the forward pass."""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == owner.name]
    applied = [
        n for n in walk(tree)
        if isinstance(n, ast.Attribute) and n.value in uses and n.attr == "apply"
    ]  # fmt: skip
    if (
        [*methods] != ["forward"]
        or not (owner.bases and methods["forward"].args.args)
        or len(applied) < len(uses)
        or "Function" not in ast.unparse(owner.bases[0])
    ):
        return False
    forward, inner = methods["forward"], Edits(text)
    name = _function_name(owner.name, text)
    context = forward.args.args[0].arg
    for block in blocks(forward):
        notes = [each for each in block if _is_note(each, context)]
        for note in notes:
            inner.drop(note, alone=notes == block and note is notes[0])
    for decorator in forward.decorator_list:
        if ast.unparse(decorator) == "staticmethod":
            inner.drop_decorator(decorator)
    drop_parameters(forward, {context}, [], inner)
    start = inner.start(forward) + len("def ")
    inner.replace(start, start + len("forward"), name)
    moved = copied(text, inner, inner.line_start(forward), inner.end(forward))
    edits.put(owner, "\n".join(line.removeprefix("    ") for line in moved.split("\n")))
    for use in applied:
        edits.put(use, name)
    return True


def _is_note(node: ast.stmt, context: str) -> bool:
    """Return whether a statement only stores something in the context for the backward pass."""
    if isinstance(node, ast.If):
        return all(_is_note(each, context) for each in [*node.body, *node.orelse])
    return isinstance(node, ast.Assign | ast.Expr) and context in loaded_names(node)
