"""The attributes of a module, from its constructor and the arguments of the one call of it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from curation.source.functions import signature, unpacks

LOSS: tuple[tuple[str, object], ...] = (
    ("size_average", None), ("reduce", None), ("reduction", "mean"),
)  # fmt: skip
WEIGHTED: tuple[tuple[str, object], ...] = (
    ("weight", None), ("size_average", None), ("ignore_index", -100), ("reduce", None),
    ("reduction", "mean"),
)  # fmt: skip
NORM: tuple[tuple[str, object], ...] = (("normalized_shape", ...),)
# The constructors of torch's modules. Their arguments are attributes, too.
BASES: Mapping[str, tuple[tuple[str, object], ...]] = {
    "Module": (),
    "Sigmoid": (),
    "ReLU": (),
    "GLU": (("dim", -1),),
    "Softmax": (("dim", None),),
    "LogSoftmax": (("dim", None),),
    "L1Loss": LOSS,
    "MSELoss": LOSS,
    "SmoothL1Loss": (*LOSS, ("beta", 1.0)),
    "HuberLoss": (("reduction", "mean"), ("delta", 1.0)),
    "KLDivLoss": (*LOSS, ("log_target", False)),
    "NLLLoss": WEIGHTED,
    "CrossEntropyLoss": (*WEIGHTED, ("label_smoothing", 0.0)),
    "LayerNorm": (*NORM, ("eps", 1e-5)),
    "RMSNorm": (*NORM, ("eps", None)),
}
ALLOCATING = {"ones", "zeros", "empty", "full", "tensor"}
RECASTS = {"half": "torch.float16", "float": "torch.float32", "bfloat16": "torch.bfloat16"}


class UnknownModule(ValueError):
    """A module does more than this file follows."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A constructor's call in a side. `moves`: the methods after it, as `.to(x.device)` has."""

    call: ast.Call
    moves: tuple[ast.Call, ...]
    weights: Mapping[str, ast.expr]
    """Values that the side puts in place of attributes."""


def find_attributes(
    owner: ast.ClassDef, init: ast.FunctionDef | None, made: Construction
) -> dict[str, ast.expr]:
    """Return the values of a module's attributes, in the names of the side that constructs it."""
    base = ast.unparse(owner.bases[0]).rpartition(".")[2]
    run = _Run(base, made)
    if init is None:
        run.construct_base(made.call)
    else:
        run.names = _bound(init, made.call)
        run.body(init.body)
    training = not any(_method(each) == "eval" for each in made.moves)
    values: dict[str, ast.expr] = {"training": ast.Constant(training), **run.attributes}
    for name, value in made.weights.items():
        if name not in values and base not in {"LayerNorm", "RMSNorm"}:
            raise UnknownModule
        values[name] = _conditional(value, values.get(name))
    return values


def _conditional(value: ast.expr, before: ast.expr | None) -> ast.expr:
    """Return a value that a side puts in place of an attribute, perhaps under a condition."""
    match value:
        case ast.IfExp(test=test, body=body, orelse=ast.Constant(value=value_else)) if (
            value_else is ...
        ):
            if isinstance(before, ast.IfExp) and ast.dump(before.test) == ast.dump(test):
                before = before.orelse
            if before is None:
                raise UnknownModule
            return ast.IfExp(test, body, before)
    return value


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _bound(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments of a call by the parameters of a method."""
    a, takes = function.args, signature(function.args).without_first()
    if unpacks(call) or len(call.args) > len(takes.positional):
        raise UnknownModule
    extra = [each for each in call.keywords if each.arg not in takes.names]
    if extra and a.kwarg is None:
        raise UnknownModule
    given = takes.given(call).items()
    bound = {**takes.defaults, **{name: value for name, value in given if name in takes.names}}
    if a.kwarg is not None:
        values = [each.value for each in extra]
        bound[a.kwarg.arg] = ast.Dict([ast.Constant(each.arg) for each in extra], values)
    if a.vararg is not None:
        bound[a.vararg.arg] = ast.Tuple([], ast.Load())
    return bound


@dataclass
class _Run:
    """A constructor that is followed."""

    base: str
    made: Construction
    names: dict[str, ast.expr] = field(default_factory=dict)
    attributes: dict[str, ast.expr] = field(default_factory=dict)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Pass():
                return
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__")) as call):
                self.construct_base(call)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Name(id="self"), attr="register_parameter" | "register_buffer"
                    ),
                    args=[ast.Constant(value=str(name)), value, *_],
                )
            ):
                self.attributes[name] = self.value(value)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="self")), args=[], keywords=[])
            ):
                # It gives parameters their first values.
                for name in set(self.attributes) - self.made.weights.keys():
                    if self._is_allocated(self.attributes[name]):
                        raise UnknownModule
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=True):
                    self._assign(target, self.value(value))
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self.value(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self.value(value))
            case ast.If(test=test, body=body, orelse=orelse):
                self._branch(self.value(test), body, orelse)
            case _:
                raise UnknownModule

    def _is_allocated(self, value: ast.expr) -> bool:
        return any(
            isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch.")
            for node in ast.walk(value)
        )

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                self.attributes[attr] = value
            case _:
                raise UnknownModule

    def _branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        if all(isinstance(each, ast.Raise) for each in body) and not orelse:
            return
        if isinstance(test, ast.Constant):
            self.body(body if test.value else orelse)
            return
        before = dict(self.attributes)
        self.body(body)
        taken, self.attributes = self.attributes, before.copy()
        self.body(orelse)
        for name in {*taken, *self.attributes}:
            first, second = taken.get(name), self.attributes.get(name)
            if first is None or second is None:
                self.attributes[name] = first or second or ast.Constant(None)
            elif ast.dump(first) != ast.dump(second):
                self.attributes[name] = ast.IfExp(test, first, second)

    def construct_base(self, call: ast.Call) -> None:
        """Assign the attributes of a module of torch."""
        places = BASES[self.base]
        given = list(call.args)
        keywords = [each for each in call.keywords if each.arg is not None]
        if given and ast.unparse(given[0]) == "self":
            given = given[1:]
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                inner = self.value(argument.value)
                if not isinstance(inner, ast.Tuple) or inner.elts:
                    raise UnknownModule
                given = []
        for each in call.keywords:
            if each.arg is None:
                inner = self.value(each.value)
                if not isinstance(inner, ast.Dict):
                    raise UnknownModule
                for key, inner_value in zip(inner.keys, inner.values, strict=True):
                    if isinstance(key, ast.Constant):
                        keywords.append(ast.keyword(str(key.value), inner_value))
        for place, (name, default) in enumerate(places):
            value = next((each.value for each in keywords if each.arg == name), None)
            if value is None and place < len(given):
                value = given[place]
            if value is not None:
                self.attributes[name] = self.value(value)
            elif default is not ...:
                self.attributes[name] = ast.Constant(default)  # type: ignore[arg-type]

    def value(self, node: ast.expr) -> ast.expr:
        """Return an expression of the constructor in the names of the side."""
        made = _Values(self).visit(copy.deepcopy(node))
        assert isinstance(made, ast.expr)  # noqa: S101 - an expression stays one
        return made

    def moved(self, value: ast.expr) -> ast.expr:
        """Return a parameter after the moves of its module."""
        if isinstance(value, ast.Constant):
            return value
        options: dict[str, ast.expr] = {}
        for move in self.made.moves:
            method = _method(move)
            if method in RECASTS:
                options["dtype"] = ast.parse(RECASTS[method], mode="eval").body
            for argument in (*move.args, *(each.value for each in move.keywords)):
                written = ast.unparse(argument)
                kind = "dtype" if "dtype" in written or written.startswith("torch.") else "device"
                options[kind] = argument
        keywords = [ast.keyword(name, each) for name, each in options.items()]
        match value:
            case ast.Call(func=func) if ast.unparse(func).rpartition(".")[2] in ALLOCATING:
                value.keywords = [
                    *(k for k in value.keywords if k.arg not in options),
                    *keywords,
                ]
                return value
        if not keywords:
            return value
        return ast.Call(ast.Attribute(value, "to", ast.Load()), [], keywords)


class _Values(ast.NodeTransformer):
    def __init__(self, run: _Run) -> None:
        self._run = run

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._run.names.get(node.id, node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            if node.attr not in self._run.attributes:
                raise UnknownModule
            return copy.deepcopy(self._run.attributes[node.attr])
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called in {"nn.Parameter", "torch.nn.Parameter", "Parameter"} and node.args:
            return self._run.moved(node.args[0])
        for keyword in [each for each in node.keywords if each.arg is None]:
            if isinstance(keyword.value, ast.Dict):
                node.keywords.remove(keyword)
                for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                    none = isinstance(value, ast.Constant) and value.value is None
                    if isinstance(key, ast.Constant) and not none:
                        node.keywords.append(ast.keyword(str(key.value), value))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Compare(
                left=ast.Constant(value=left), ops=[op], comparators=[ast.Constant(value=right)]
            ):
                if isinstance(op, ast.Eq | ast.Is):
                    return ast.Constant(left == right)
                if isinstance(op, ast.NotEq | ast.IsNot):
                    return ast.Constant(left != right)
        return node
