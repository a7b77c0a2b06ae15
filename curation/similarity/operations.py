"""Operations of a PyTorch function, in order and independent of names.

The function is followed statement by statement. Every value gets a number when it is computed, so
that neither names nor intermediate variables matter, and `x.sum(-1)` is `torch.sum(x, dim=-1)`.
Casts to float32 and back, copies and assertions are left out. A function that cannot be followed is
identified by its syntax.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curation.similarity.operation_names import CASTS, COPIES, FLOATS, MODULES, OPERATORS, SHAPES
from curation.similarity.operation_numbers import Numbering
from curation.similarity.operation_values import (
    FunctionValue,
    Instance,
    Layer,
    NotFollowedError,
    Value,
    arguments_spelled,
    constant,
    is_computed,
    is_path,
    negated,
    parameters,
    spelled,
)
from curation.similarity.syntax import syntax_hash

VERSION = "1"
DEEPEST = 12
"""Maximum depth of nested calls of the text's own functions."""


@dataclass(frozen=True, slots=True)
class FunctionOperations:
    exact: str
    """Hash of all operations with their operands and constants. Two functions with the same
    hash give the same result for the same positional arguments."""
    chain: tuple[str, ...]
    """Names of the operations in order; empty for a function that was not followed."""

    @property
    def chain_hash(self) -> str:
        """Return a hash of the chain, or "" for an empty one."""
        return _digest("chain", self.chain) if self.chain else ""


def read_operations(text: str, entry_point: str) -> FunctionOperations:
    """Return the operations of the function or module class named `entry_point`."""
    try:
        reader = _Reader(ast.parse(text))
        reader.read(entry_point)
    except (SyntaxError, ValueError, RecursionError, MemoryError, NotFollowedError):
        return FunctionOperations(_digest("syntax", (syntax_hash(text),)), ())
    return FunctionOperations(_digest("exact", reader.numbers.lines), reader.numbers.chain())


def _digest(kind: str, parts: Sequence[str]) -> str:
    data = "\0".join((f"{kind} {VERSION}", *parts))
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


class _Reader:
    def __init__(self, module: ast.Module) -> None:
        self.numbers = Numbering()
        self._depth = 0
        self._globals: dict[str, Value] = {}
        self._constants: dict[str, ast.expr] = {}
        self._classes: dict[str, ast.ClassDef] = {}
        for node in module.body:
            self._declare(node)

    def read(self, entry_point: str) -> None:
        if entry_point in self._classes:
            self._read_class(self._classes[entry_point])
            return
        entry = self._globals.get(entry_point)
        if not isinstance(entry, FunctionValue):
            raise NotFollowedError(f"No function {entry_point!r}.")
        arguments = entry.node.args
        for argument in (*arguments.defaults, *arguments.kw_defaults):
            if argument is not None:
                self.numbers.note("default", self._value(argument, {}))
        self.numbers.note("return", self._call(entry, parameters(arguments), {}))

    def _read_class(self, node: ast.ClassDef) -> None:
        methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
        if "forward" not in methods:
            raise NotFollowedError("A class without `forward`.")
        instance = Instance(methods)
        for name in ("__init__", "forward"):
            if name in methods:
                self.numbers.begin_chain()
                given = parameters(methods[name].args)[1:]
                result = self._call(
                    FunctionValue(methods[name], self._globals), [instance, *given], {}
                )
        self.numbers.note("return", result)

    def _declare(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    self._globals[name] = f".{alias.name if alias.asname else name}"
            case ast.ImportFrom():
                for alias in node.names:
                    path = f".{node.module or ''}.{alias.name}"
                    self._globals[alias.asname or alias.name] = path
            case ast.FunctionDef():
                self._globals[node.name] = FunctionValue(node, self._globals)
            case ast.ClassDef():
                self._classes[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._constants[name] = node.value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._constants[name] = value

    # --- Statements -----------------------------------------------------------------------------
    def _run(self, body: Sequence[ast.stmt], names: dict[str, Value]) -> Value | None:
        """Follow statements; return the value that the last of them returns, or None."""
        for node in body:
            match node:
                case ast.Return():
                    return self._value(node.value, names) if node.value else "=None"
                case ast.Assign():
                    value = self._value(node.value, names)
                    for target in node.targets:
                        self._bind(target, value, names)
                case ast.AnnAssign():
                    if node.value is not None:
                        self._bind(node.target, self._value(node.value, names), names)
                case ast.AugAssign():
                    operands = [self._value(node.target, names), self._value(node.value, names)]
                    # `x += y` writes into the caller's tensor if `x` is a parameter.
                    writes = spelled(operands[0]).startswith("p")
                    value = self.numbers.emit(OPERATORS[type(node.op)], operands, effect=writes)
                    self._bind(node.target, value, names)
                case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Pass() | ast.Import():
                    continue
                case ast.Expr():
                    self._value(node.value, names)
                case ast.FunctionDef():
                    names[node.name] = FunctionValue(node, names)
                case ast.With():
                    for item in node.items:
                        self.numbers.note("with", self._value(item.context_expr, names))
                    if (result := self._run(node.body, names)) is not None:
                        return result
                case ast.If():
                    self._branch(node, names)
                case ast.For() | ast.While():
                    self._loop(node, names)
                case ast.Raise():
                    self.numbers.note("raise")
                case _:
                    raise NotFollowedError(type(node).__name__)
        return None

    def _branch(self, node: ast.If, names: dict[str, Value]) -> None:
        """Follow both branches; a name that differs afterwards becomes a new value."""
        test = self._value(node.test, names)
        sides = []
        for mark, body in (("if", node.body), ("else", node.orelse)):
            self.numbers.note(mark, test)
            side = dict(names)
            if (result := self._run(body, side)) is not None:
                self.numbers.note("return", result)
            sides.append(side)
        self.numbers.note("end")
        for name in dict.fromkeys([*sides[0], *sides[1]]):
            first, second = (side.get(name, "unbound") for side in sides)
            if first is not second and first != second:
                first = self.numbers.emit("either", [test, first, second], listed=False)
            names[name] = first

    def _loop(self, node: ast.For | ast.While, names: dict[str, Value]) -> None:
        """Follow the body once; each name that changes in it becomes a new value."""
        self.numbers.forget_values()
        changing = [name for name in _assigned(node.body) if name in names]
        for name in changing:
            start, names[name] = names[name], self.numbers.fresh()
            self.numbers.note("carry", names[name], start)
        if isinstance(node, ast.For):
            over = self._value(node.iter, names)
            self._bind(node.target, each := self.numbers.fresh(), names)
            self.numbers.note("for", each, over)
        else:
            self.numbers.note("while", self._value(node.test, names))
        carried = [names[name] for name in changing]
        if (result := self._run(node.body, names)) is not None:
            self.numbers.note("return", result)
        for before, name in zip(carried, changing, strict=True):
            self.numbers.note("next", before, names[name])
        self.numbers.note("end")
        self.numbers.forget_values()

    def _bind(self, target: ast.expr, value: Value, names: dict[str, Value]) -> None:
        match target:
            case ast.Name():
                names[target.id] = value
            case ast.Tuple() | ast.List():
                for number, inner in enumerate(target.elts):
                    self._bind(inner, self._item(value, constant(number)), names)
            case ast.Subscript():
                base, index = self._value(target.value, names), self._value(target.slice, names)
                changed = self.numbers.emit("store", [base, index, value], effect=True)
                if isinstance(target.value, ast.Name):
                    names[target.value.id] = changed
            case ast.Attribute():
                owner = self._value(target.value, names)
                if not isinstance(owner, Instance):
                    raise NotFollowedError("An attribute is assigned.")
                owner.attributes[target.attr] = value
            case _:
                raise NotFollowedError(type(target).__name__)

    # --- Expressions ----------------------------------------------------------------------------
    def _value(self, node: ast.expr, names: dict[str, Value]) -> Value:
        match node:
            case ast.Constant():
                return constant(node.value)
            case ast.Name():
                return self._named(node.id, names)
            case ast.Tuple() | ast.List():
                return tuple(self._value(each, names) for each in node.elts)
            case ast.BinOp():
                operands = [self._value(node.left, names), self._value(node.right, names)]
                return self.numbers.emit(OPERATORS[type(node.op)], operands)
            case ast.UnaryOp():
                operand = self._value(node.operand, names)
                if isinstance(node.op, ast.USub) and (number := negated(operand)):
                    return number
                return self.numbers.emit(OPERATORS[type(node.op)], [operand])
            case ast.BoolOp():
                operands = [self._value(each, names) for each in node.values]
                return self.numbers.emit(OPERATORS[type(node.op)], operands)
            case ast.Compare():
                operands = [self._value(each, names) for each in (node.left, *node.comparators)]
                return self.numbers.emit("_".join(OPERATORS[type(o)] for o in node.ops), operands)
            case ast.IfExp():
                parts = [self._value(each, names) for each in (node.test, node.body, node.orelse)]
                return self.numbers.emit("either", parts, listed=False)
            case ast.Attribute():
                return self._attribute(self._value(node.value, names), node.attr)
            case ast.Subscript():
                return self._item(self._value(node.value, names), self._value(node.slice, names))
            case ast.Slice():
                bounds = (node.lower, node.upper, node.step)
                parts = [self._value(each, names) if each else "" for each in bounds]
                return f"slice({':'.join(map(spelled, parts))})"
            case ast.Call():
                return self._called(node, names)
            case ast.Lambda():
                return FunctionValue(node, names)
            case ast.Starred():
                return f"*{spelled(self._value(node.value, names))}"
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node, names)
        raise NotFollowedError(type(node).__name__)

    def _named(self, name: str, names: dict[str, Value]) -> Value:
        for known in (names, self._globals):
            if name in known:
                return known[name]
        if name in self._constants:
            self._globals[name] = value = self._value(self._constants[name], {})
            return value
        if name in self._classes:
            return f".class.{syntax_hash(ast.unparse(self._classes[name]))}"
        return f".builtins.{name}"

    def _attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Instance):
            if name in owner.attributes:
                return owner.attributes[name]
            if name in owner.methods:
                return FunctionValue(owner.methods[name], {**self._globals, "self": owner})
            raise NotFollowedError(f"self.{name}")
        if isinstance(owner, Layer) or is_path(owner):
            return f"{spelled(owner)}.{name}"
        if name in SHAPES:
            return f"{SHAPES[name]}({spelled(owner)})"
        return self.numbers.emit(name, [owner])

    def _item(self, owner: Value, index: Value) -> Value:
        if isinstance(owner, tuple) and re.fullmatch(r"=-?\d+\.0", spelled(index)):
            place = int(float(spelled(index)[1:]))
            if -len(owner) <= place < len(owner):
                return owner[place]
        if isinstance(owner, str) and owner.startswith("shape("):
            return f"item({owner},{spelled(index)})"
        return self.numbers.emit("index" if is_computed(index) else "view_index", [owner, index])

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp, names: dict[str, Value]
    ) -> Value:
        inner = dict(names)
        for part in node.generators:
            over = self._value(part.iter, inner)
            self._bind(part.target, each := self.numbers.fresh(), inner)
            self.numbers.note("each", each, over)
            for test in part.ifs:
                self.numbers.note("where", self._value(test, inner))
        element = self._value(node.elt, inner)
        self.numbers.note("end")
        return self.numbers.emit("list", [element], effect=True, listed=False)

    # --- Calls ----------------------------------------------------------------------------------
    def _called(self, node: ast.Call, names: dict[str, Value]) -> Value:
        if isinstance(node.func, ast.Attribute):
            owner = self._value(node.func.value, names)
            if owner == "=None":  # `super().__init__()`
                return owner
            if (isinstance(owner, str) and not is_path(owner)) or isinstance(owner, tuple):
                return self._method(node.func, owner, *self._arguments(node, names), names)
            function = self._attribute(owner, node.func.attr)
        else:
            function = self._value(node.func, names)
        return self._apply(function, *self._arguments(node, names))

    def _arguments(
        self, node: ast.Call, names: dict[str, Value]
    ) -> tuple[list[Value], dict[str, Value]]:
        given = [self._value(one, names) for one in node.args]
        keywords = {one.arg or "**": self._value(one.value, names) for one in node.keywords}
        return given, keywords

    def _apply(self, function: Value, operands: list[Value], keywords: dict[str, Value]) -> Value:
        match function:
            case FunctionValue():
                return self._call(function, operands, keywords)
            case Layer(layers=[_, *_] as layers):
                for layer in layers:
                    operands = [self._apply(layer, operands, keywords)]
                return operands[0]
            case Layer():
                return self.numbers.emit(
                    function.operation, [*operands, function.arguments], keywords
                )
            case str():
                return self._library(function, operands, keywords)
        raise NotFollowedError("A value that is not a function is called.")

    def _method(
        self,
        function: ast.Attribute,
        owner: Value,
        operands: list[Value],
        keywords: dict[str, Value],
        names: dict[str, Value],
    ) -> Value:
        """Follow `owner.name(...)` for an owner that was computed."""
        name = function.attr
        if name in COPIES:
            return owner
        if name in CASTS:
            return self.numbers.emit(CASTS[name], [owner]) if CASTS[name] else owner
        if name in {"to", "type", "type_as"}:
            return self._cast(owner, [*operands, *keywords.values()])
        if name == "size" or name in SHAPES:
            what = f"{SHAPES.get(name, 'shape')}({spelled(owner)})"
            return self._item(what, operands[0]) if operands else what
        in_place = name.endswith("_") and not name.endswith("__")
        operation = name.rstrip("_") if in_place else name
        value = self.numbers.emit(operation, [owner, *operands], keywords, effect=in_place)
        if in_place and isinstance(function.value, ast.Name):
            names[function.value.id] = value
        return value

    def _cast(self, owner: Value, to: list[Value]) -> Value:
        for one in map(spelled, to):
            kind = one.removeprefix(".torch.")
            if one.startswith(".torch.") and kind not in FLOATS:
                return self.numbers.emit(f"cast_{kind}", [owner])
        return owner

    def _library(self, path: str, operands: list[Value], keywords: dict[str, Value]) -> Value:
        """Follow a call of a function that the text does not define."""
        *package, name = path.lstrip(".").split(".")
        if path.startswith(".builtins.super"):
            return "=None"
        if "nn" in package and name == "Parameter" and operands:
            return operands[0]
        if "nn" in package and name[:1].isupper():
            layers = operands if name in {"Sequential", "ModuleList"} else []
            arguments = arguments_spelled(operands, keywords)
            return Layer(MODULES.get(name, name.lower()), arguments, layers)
        if package[:1] == ["torch"]:
            return self.numbers.emit(name, operands, keywords, effect=name.endswith("_"))
        listed = package[:1] not in (["math"], ["builtins"])
        return self.numbers.emit(path.lstrip("."), operands, keywords, listed=listed)

    def _call(
        self, closure: FunctionValue, operands: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """Follow a function of the text with these arguments."""
        arguments = closure.node.args
        listed = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        names = dict(closure.around)
        if listed[:1] == ["self"] and "self" in names:
            operands = [names["self"], *operands]
        if arguments.kwarg or (len(operands) > len(listed) and not arguments.vararg):
            raise NotFollowedError("There are more arguments than parameters.")
        defaults = [*zip(listed[::-1], arguments.defaults[::-1], strict=False)]
        alone = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        defaults += [(each.arg, value) for each, value in alone if value is not None]
        for name, default in defaults:
            names[name] = self._value(default, closure.around)
        names.update(zip(listed, operands, strict=False))
        if arguments.vararg:
            names[arguments.vararg.arg] = tuple(operands[len(listed) :])
        names.update(keywords)
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotFollowedError("The calls are nested too deeply.")
        if isinstance(closure.node, ast.Lambda):
            result: Value | None = self._value(closure.node.body, names)
        else:
            result = self._run(closure.node.body, names)
        self._depth -= 1
        return "=None" if result is None else result


def _assigned(body: Sequence[ast.stmt]) -> list[str]:
    """Return the names that statements assign or change, in order."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return list(dict.fromkeys(name for node in nodes for name in _changed(node)))


def _changed(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            yield name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=called)):
            if called.endswith("_"):
                yield name
