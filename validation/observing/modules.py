"""Classes that a side of the pair calls in only one place, rewritten as functions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from curation.source.branches import blocks
from curation.source.functions import is_docstring, loaded_names, named_arguments, signature
from curation.source.text import Edits, parse, walk
from validation.observing.edits import Change, Observed, Texts, body_start, copied
from validation.observing.merging import SIDES
from validation.observing.parameters import drop_parameters

# Modules of torch without parameters, each with the function that takes the same arguments.
FUNCTIONS = {
    "CrossEntropyLoss": "cross_entropy", "KLDivLoss": "kl_div", "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss", "SiLU": "silu", "GELU": "gelu", "ReLU": "relu",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "Tanh": "tanh",
}  # fmt: skip
MOVES = {"to", "cuda", "float", "half", "bfloat16", "eval"}


@dataclass
class _Module:
    """A module that a function constructs, the calls of it, and the attributes set on it."""

    construction: ast.Call
    is_moved: bool = False
    dropped: list[ast.stmt] = field(default_factory=list)
    calls: list[tuple[ast.Call, ast.Call]] = field(default_factory=list)
    """Each call as it is written, and a call with only the arguments of the forward pass."""
    given: dict[str, ast.expr] = field(default_factory=dict)

    def write_calls(self, edits: Edits, written: Iterable[str]) -> None:
        for (call, _), new in zip(self.calls, written, strict=True):
            edits.put(call, new)
        for statement in self.dropped:
            edits.drop(statement, alone=False)


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
            elif last in FUNCTIONS and not owners:
                _call_torch(module, FUNCTIONS[last], edits, text)
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
                module.dropped.append(statement)
        if {_is_followed(module, use, parents) for use in uses} == {True} and module.calls:
            yield module


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _is_followed(module: _Module, use: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Record one use of a module. Return whether it is a call or sets an attribute."""
    match parents[use]:
        case ast.Call(func=func) as call if func is use:
            module.calls.append((call, call))
            return True
        case ast.Call(args=[_, weights, ast.Tuple(elts=args)]) as call if (
            ast.unparse(call.func) == "torch.func.functional_call"
        ):
            module.calls.append((call, ast.Call(call.func, args, [])))
            for state in [node for node in walk(weights) if isinstance(node, ast.Dict)]:
                pairs = zip(state.keys, state.values, strict=True)
                module.given |= {ast.literal_eval(key): value for key, value in pairs if key}
            return True
        case ast.Attribute(attr=attr) as owned:
            target = parents[owned]
            match parents.get(target):
                case ast.Assign(value=value) as statement if ast.unparse(target).endswith(".data"):
                    module.given[attr] = value
                    branch = parents[statement]
                    if isinstance(branch, ast.If) and branch.body == [statement]:
                        module.given[attr] = ast.IfExp(branch.test, value, ast.Constant(None))
                        module.dropped.append(branch)
                    else:
                        module.dropped.append(statement)
                    return True
    return False


def _call_torch(module: _Module, function: str, edits: Edits, text: str) -> None:
    made = [*module.construction.args, *module.construction.keywords]
    given = [[*call.args, *call.keywords, *made] for call, _ in module.calls]
    written = [", ".join(map(edits.of, each)) for each in given]
    module.write_calls(edits, [f"torch.nn.functional.{function}({each})" for each in written])
    if "import torch\n" not in text:
        edits.replace(0, 0, "import torch\n")


def _is_written(module: _Module, owner: ast.ClassDef, edits: Edits, text: str) -> bool:
    """Rewrite the constructor and the forward pass of a module as one function."""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    forward, init = methods.get("forward"), methods.get("__init__")
    takes = signature(forward.args).without_first() if forward else None
    if forward is None or takes is None or not takes.names:
        return False
    bound = [takes.bind(call) for _, call in module.calls]
    if None in bound:
        return False
    made = named_arguments(module.construction)
    if init is not None:
        builds = signature(init.args).without_first()
        made = {**builds.defaults, **builds.given(module.construction)}
    own = {name: f"own_{name}" if name in made else name for name in module.given}
    steps = [step for step in init.body if not _is_left_out(step, own)] if init else []
    aliases = [_aliases(step, made) for step in steps]
    variables = {"training": "True"} | own
    variables |= {name: value for each in aliases for name, value in each.items()}
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
            case ast.Call(func=ast.Attribute(attr=register), args=[key, value]) if (
                register.startswith("register_")
            ):
                inner.put(node, f"{ast.literal_eval(key)} = {edits.of(value)}")
    parts = [copied(text, inner, body_start(text, each), edits.end(each)) for each in body]
    name = _function_name(owner.name, text)
    lines = "\n".join(parts).replace("\n    ", "\n").removeprefix("    ")
    head = f"def {name}({', '.join([*takes.names, *own.values(), *made])}):"
    plain = re.sub(r"\bself\.(\w+)", lambda part: variables.get(part[1], part[1]), lines)
    edits.put(owner, f"{head}\n{plain}")
    more = [*map(ast.unparse, [*module.given.values(), *made.values()])]
    given = [[*map(ast.unparse, each.values()), *more] for each in bound if each is not None]
    module.write_calls(edits, [f"{name}({', '.join(each)})" for each in given])
    return True


def _is_left_out(step: ast.stmt, given: Iterable[str]) -> bool:
    """Return whether a constructor's step has no effect, or sets an attribute that callers set."""
    text = ast.unparse(step)
    nothing = is_docstring(step) or re.match(r"super\(|assert ", text)
    return bool(nothing) or any(re.search(rf"self\.{name}\b|'{name}'", text) for name in given)


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
