"""Functions of a standalone module as they are called: with the arguments of one call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from curation.source.functions import named_arguments, signature
from ingest.drafting.host import Function, HostCode, walk_body

KEEPS = {"view", "reshape", "contiguous", "squeeze", "unsqueeze", "transpose", "permute",
         "expand", "flatten", "unflatten", "clone", "detach", "narrow", "t", "view_as",
         "movedim"}  # fmt: skip
# Bounds recursion: launchers are a few calls deep.
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A function with the arguments of one call. `given` holds None for an argument of the entry
    point itself.
    """

    function: Function
    given: Mapping[str, Expression | None] = field(default_factory=dict)
    depth: int = 0

    def values(self, name: str) -> list[Expression]:
        """Return all values that a name is bound to here, or an empty list if some of them are
        unknown.
        """
        expressions: list[Expression] = []
        stored = 0
        for node in walk_body(self.function.body):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        expressions += self._bound(target, name, value)
                case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value):
                    expressions += [Expression(value, self)] if bound == name else []
                case ast.Name(id=bound, ctx=ast.Store()):
                    stored += bound == name
        if stored != len(expressions):
            return []
        given = self.given.get(name)
        if given is None or given.place.is_none(given.node):
            return expressions
        return [*expressions, given]

    def is_none(self, node: ast.expr) -> bool:
        """Return whether an expression is certainly None."""
        match node:
            case ast.Constant(value=None):
                return True
            case ast.Name(id=name):
                given = self.given.get(name)
                stored = any(
                    isinstance(each, ast.Name) and each.id == name
                    for each in walk_body(self.function.body)
                    if isinstance(getattr(each, "ctx", None), ast.Store)
                )
                return given is not None and not stored and given.place.is_none(given.node)
        return False

    def _bound(self, target: ast.expr, name: str, value: ast.expr) -> Iterator[Expression]:
        match target, value:
            case ast.Name(id=bound), _ if bound == name:
                yield Expression(value, self)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for inner, one in zip(targets, values, strict=True):
                    yield from self._bound(inner, name, one)
            case ast.Tuple(elts=targets), ast.GeneratorExp(
                elt=elt,
                generators=[
                    ast.comprehension(target=ast.Name(id=each), iter=ast.Tuple(elts=values))
                ],
            ) if is_still(elt, each):
                # `q, k = (x.contiguous() for x in (q, k))`
                yield from self._bound(target, name, ast.Tuple(values, ast.Load()))
            case ast.Tuple(elts=targets), _:
                for number, inner in enumerate(targets):
                    if isinstance(inner, ast.Name) and inner.id == name:
                        yield Expression(value, self, number)


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression in its function. `number` selects one of the answers of a call."""

    node: ast.expr
    place: CalledFunction
    number: int | None = None


def find_called(host: HostCode, node: ast.expr, place: CalledFunction) -> CalledFunction | None:
    """Return the function of the module that a call runs, with its arguments, or None."""
    if not isinstance(node, ast.Call) or place.depth >= DEEPEST:
        return None
    match node:
        case ast.Call(
            func=ast.Attribute(attr="functional_call"),
            args=[module, _, ast.Tuple(elts=arguments)],
        ):
            # `torch.func.functional_call(module, weights, (x,))` calls the module.
            node = ast.Call(module, arguments, [])
    function, skipped = _target(host, node.func, place)
    if function is None or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    takes = signature(function.args)
    placed = zip(takes.positional[skipped:], node.args, strict=False)
    values = {**takes.defaults, **dict(placed), **named_arguments(node)}
    given = {name: Expression(value, place) for name, value in values.items()}
    return CalledFunction(function, given, place.depth + 1)


def _target(host: HostCode, called: ast.expr, place: CalledFunction) -> tuple[Function | None, int]:
    """Return the function, and how many of its parameters precede the first argument."""
    match called:
        case ast.Name(id=name) if name in host.functions:
            return host.functions[name], 0
        case ast.Name(id=name) if name in host.applied:
            return host.methods.get(host.applied[name], {}).get("forward"), 1
        case ast.Attribute(value=ast.Name(id=name), attr="apply"):
            return host.methods.get(name, {}).get("forward"), 1
        case ast.Name(id=name):
            made = [value.node for value in place.values(name)]
            return (_forward(host, made[0]), 1) if len(made) == 1 else (None, 0)
    return _forward(host, called), 1


def _forward(host: HostCode, construction: ast.expr) -> Function | None:
    """Return the method that a call of a module runs. It is constructed by `C(…).to(device)`."""
    node = construction
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return host.method(node.func.id, "forward")
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return None


def is_still(node: ast.expr, name: str) -> bool:
    """Return whether an expression is the tensor of that name in another shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        reads_anew = node.func.attr == "view" and any(
            "torch." in ast.unparse(each) for each in node.args
        )
        if node.func.attr not in KEEPS or reads_anew:
            return False
        node = node.func.value
    return root_of_call(node) == name


def root_of_call(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None
