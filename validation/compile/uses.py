"""Reads from a unit's syntax tree how each parameter of a kernel is used.

Names and annotations say nothing reliable about a parameter; its uses do. What is an address is a
pointer, what is loaded and then part of an address is an integer, what stands in `arange` is a
size. Helpers of the unit are followed into, with the caller's arguments.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import NamedTuple


class Use(StrEnum):
    POINTER = auto()
    ADDRESS = auto()  # loaded, and then itself loaded through: a table of pointers
    INTEGER = auto()
    FLOATING = auto()
    DTYPE = auto()
    SIZE = auto()  # of a block: a power of two
    COUNT = auto()  # of unrolled turns: small
    AXIS = auto()
    FLAG = auto()
    NONE = auto()  # compared with None
    DESCRIPTOR = auto()
    TUPLE = auto()
    FUNCTION = auto()
    MATRIX = auto()  # loaded for a dot


LOADED = "*"
# A parameter's name, then steps into it: LOADED, or the index of a tuple's item.
Path = tuple[str | int, ...]


@dataclass
class Uses:
    """What was seen of one parameter, or of what is reached through it."""

    kinds: set[Use] = field(default_factory=set)
    equals: list[object] = field(default_factory=list)
    # What it is chosen against: both must be of one type.
    same: set[Path] = field(default_factory=set)
    items: int = 0
    rank: int = 0


class Value(NamedTuple):
    """What an expression may be made of. `base` is what it would point with as an address."""

    base: Path | None = None
    parts: frozenset[Path] = frozenset()
    items: tuple["Value", ...] | None = None
    # Made in the kernel by make_tensor_descriptor, not handed in.
    made: bool = False
    # No longer of the type that it was loaded with.
    cast: bool = False


NOTHING = Value()
# Enough for the largest real kernels, and an end for made-up ones.
MOST_STEPS = 200_000
MOST_DEPTH = 12

SAME = {
    "multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "expand_dims", "reshape",
    "view", "trans", "permute", "cast", "to", "advance", "ravel", "item", "assume", "split",
    "flip", "constexpr", "to_tensor",
}  # fmt: skip
MATHS = {
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "sigmoid", "erf", "tanh",
    "floor", "ceil", "div_rn", "fdiv", "sqrt_rn", "softmax", "log1p", "expm1", "pow",
}  # fmt: skip
BITWISE_ATOMICS = {"atomic_and", "atomic_or", "atomic_xor", "atomic_cas"}
INTEGER_OPERATORS = (
    ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift
)  # fmt: skip
SHAPED = {"zeros": 0, "full": 0, "empty": 0, "broadcast_to": 1, "reshape": 1, "view": 1}
TYPED = {"zeros": 1, "full": 2, "cast": 1, "to": 1, "zeros_like": 9}


# Where an expression stands: function, first line from its `def` on, column, last line, column.
Place = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """The uses of each path, and which paths each expression is made of, the base first."""

    uses: Mapping[Path, Uses]
    places: Mapping[Place, Sequence[Path]]

    def of(self, path: Path) -> Uses:
        return self.uses.get(path) or Uses()

    def alike(self, path: Path) -> set[Path]:
        """It and all that it is chosen against, directly or through others."""
        found, new = {path}, {path}
        while new:
            new = {other for one in new for other in self.of(one).same} - found
            found |= new
        return found


def read_uses(source: str, kernel: str) -> Reading:
    """Read the last function named `kernel`; SyntaxError and KeyError as they come."""
    tree = ast.parse(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    node = functions[kernel]
    reader = _Reader(functions)
    names = [argument.arg for argument in _arguments(node)]
    reader.run(node, {name: Value((name,), frozenset([(name,)])) for name in names})
    return Reading(reader.uses, {place: list(paths) for place, paths in reader.places.items()})


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


class _Reader:
    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self._functions = functions
        self._within: list[ast.FunctionDef] = []
        self._returned: list[list[Value]] = []
        self._steps = 0
        self.uses: dict[Path, Uses] = defaultdict(Uses)
        # A dictionary for its order: a set would make the search another one in each process.
        self.places: dict[Place, dict[Path, None]] = defaultdict(dict)

    def run(self, function: ast.FunctionDef, env: dict[str, Value]) -> Value:
        self._within.append(function)
        self._returned.append([])
        self._block(function.body, env)
        returned = self._returned.pop()
        self._within.pop()
        value = returned[0] if returned else NOTHING
        for other in returned[1:]:
            value = _join(value, other)
        return value

    # --- Statements -------------------------------------------------------------------------

    def _block(self, statements: Iterable[ast.stmt], env: dict[str, Value]) -> None:
        for statement in statements:
            self._steps += 1
            if self._steps < MOST_STEPS:
                self._statement(statement, env)

    def _statement(self, node: ast.stmt, env: dict[str, Value]) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                seen = self._value(value, env)
                for target in targets:
                    self._bind(target, seen, env)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, self._value(value, env), env)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                env[name] = self._operation(op, env.get(name, NOTHING), self._value(value, env))
            case ast.If(test=test, body=body, orelse=orelse):
                self._truth(test, env)
                yes, no = dict(env), dict(env)
                self._block(body, yes)
                self._block(orelse, no)
                env.clear()
                for name in {**yes, **no}:
                    env[name] = self._either(yes.get(name, NOTHING), no.get(name, NOTHING))
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                self._bind(target, self._turns(iterable, env), env)
                # Twice: what a turn leaves is what the next one finds.
                self._block(body, env)
                self._block(body, env)
                self._block(orelse, env)
            case ast.While(test=test, body=body):
                self._truth(test, env)
                self._block(body, env)
                self._block(body, env)
            case ast.Return(value=ast.expr() as value):
                self._returned[-1].append(self._value(value, env))
            case ast.Expr(value=value) | ast.Assert(test=value):
                self._value(value, env)
            case ast.With(body=body):
                self._block(body, env)
            case _:
                pass

    def _bind(self, target: ast.expr, value: Value, env: dict[str, Value]) -> None:
        match target:
            case ast.Name(id=name):
                env[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                items = self._unpacked(value, len(targets))
                for inner, item in zip(targets, items, strict=True):
                    self._bind(inner, item, env)
            case _:
                pass

    def _unpacked(self, value: Value, count: int) -> Sequence[Value]:
        if value.items is not None and len(value.items) == count:
            return value.items
        if value.base and _handed_in(value):
            self._saw(value.base, Use.TUPLE, items=count)
            return [_item(value.base, index) for index in range(count)]
        return [value._replace(items=None)] * count

    def _turns(self, iterable: ast.expr, env: dict[str, Value]) -> Value:
        """What a loop's variable is made of."""
        if isinstance(iterable, ast.Call):
            values = [self._value(argument, env) for argument in iterable.args]
            small = _last(iterable.func) == "static_range"
            for value in values:
                self._saw_all(value, Use.INTEGER)
                if small and _handed_in(value) and value.base:
                    self._saw(value.base, Use.COUNT)
            for keyword in iterable.keywords:
                self._small(self._value(keyword.value, env))
            return Value(None, frozenset().union(*(value.parts for value in values)))
        value = self._value(iterable, env)
        if value.base and _handed_in(value) and value.items is None:
            self._saw(value.base, Use.TUPLE, items=2)
            return _item(value.base, 0)
        return value.items[0] if value.items else value

    def _small(self, value: Value) -> None:
        if value.base and _handed_in(value):
            self._saw(value.base, Use.COUNT)

    # --- Expressions ------------------------------------------------------------------------

    def _value(self, node: ast.expr, env: dict[str, Value]) -> Value:
        value = self._evaluate(node, env)
        if value.parts:
            paths = self.places[place(self._within[-1].name, node, self._within[-1].lineno - 1)]
            if value.base:
                paths[value.base] = None
            paths.update(dict.fromkeys(sorted(value.parts, key=repr)))
        return value

    def _evaluate(self, node: ast.expr, env: dict[str, Value]) -> Value:
        self._steps += 1
        if self._steps > MOST_STEPS:
            return NOTHING
        match node:
            case ast.Name(id=name):
                return env.get(name, NOTHING)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                divided, by = self._value(left, env), self._value(right, env)
                self._small(by)
                # A size that is divided says nothing about what it is divided by.
                by = by._replace(parts=frozenset(part for part in by.parts if LOADED in part))
                return self._operation(ast.FloorDiv(), divided, by)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self._value(left, env), self._value(right, env))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._truth(operand, env)
                return NOTHING
            case ast.UnaryOp(operand=operand):
                return self._value(operand, env)._replace(base=None)
            case ast.Compare():
                self._comparison(node, env)
                return NOTHING
            case ast.BoolOp(values=values):
                for value in values:
                    self._truth(value, env)
                return NOTHING
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._truth(test, env)
                return self._either(self._value(body, env), self._value(orelse, env))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                items = tuple(self._value(element, env) for element in elements)
                parts = frozenset().union(*(item.parts for item in items)) if items else frozenset()
                return Value(None, parts, items)
            case ast.Subscript(value=inner, slice=index):
                return self._subscript(self._value(inner, env), index, env)
            case ast.Attribute(value=inner, attr=attribute):
                return self._attribute(self._value(inner, env), attribute)
            case ast.Call():
                return self._call(node, env)
            case _:
                return NOTHING

    def _operation(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, INTEGER_OPERATORS):
            for value in (left, right):
                self._saw_all(value, Use.INTEGER)
        parts = left.parts | right.parts
        if not isinstance(op, ast.Add | ast.Sub):
            return Value(None, parts)
        if left.items is not None and right.items is not None:
            return Value(None, parts, left.items + right.items)
        bases = [base for base in (left.base, right.base) if base]
        # A pointer by what was seen so far, else the one that is written first.
        known = [base for base in bases if Use.POINTER in self.uses[base].kinds]
        return Value(next(iter([*known, *bases]), None), parts)

    def _comparison(self, node: ast.Compare, env: dict[str, Value]) -> None:
        sides = [(side, self._value(side, env)) for side in (node.left, *node.comparators)]
        literals = [_literals(side) for side, _ in sides]
        for (_, value), others in zip(sides, reversed(literals), strict=True):
            if not (value.base and _handed_in(value)):
                continue
            for other in others:
                if other is None:
                    self._saw(value.base, Use.NONE)
                elif isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is):
                    self.uses[value.base].equals.append(other)

    def _truth(self, node: ast.expr, env: dict[str, Value]) -> None:
        value = self._value(node, env)
        if isinstance(node, ast.Name) and value.base and _handed_in(value):
            self._saw(value.base, Use.FLAG)

    def _subscript(self, value: Value, index: ast.expr, env: dict[str, Value]) -> Value:
        self._value(index, env)
        number = index.value if isinstance(index, ast.Constant) else None
        if isinstance(number, int):
            if value.items is not None and -len(value.items) <= number < len(value.items):
                return value.items[number]
            if value.base and _handed_in(value) and number >= 0:
                self._saw(value.base, Use.TUPLE, items=number + 1)
                return _item(value.base, number)
        elif isinstance(index, ast.Name) and value.base and _handed_in(value):
            self._saw(value.base, Use.TUPLE, items=1)
            return _item(value.base, 0)
        return value._replace(items=None)

    def _attribute(self, value: Value, attribute: str) -> Value:
        if attribute == "element_ty" and value.base and _handed_in(value):
            self._saw(value.base, Use.POINTER)
        return value if attribute in ("T", "type", "dtype", "value") else NOTHING

    # --- Calls ------------------------------------------------------------------------------

    def _call(self, node: ast.Call, env: dict[str, Value]) -> Value:
        name = _last(node.func)
        method = isinstance(node.func, ast.Attribute)
        owner = (
            self._value(node.func.value, env) if isinstance(node.func, ast.Attribute) else NOTHING
        )
        arguments = [self._value(_unstarred(argument), env) for argument in node.args]
        keywords = {k.arg: self._value(k.value, env) for k in node.keywords if k.arg}
        if owner.parts or owner.items or owner.made:
            if name in ("load", "store", "gather", "scatter", "atomic_add"):
                return self._descriptor(owner, name, arguments[:1])
            arguments = [owner, *arguments]
        elif function := self._function(node.func, env):
            return self._inline(function, node, arguments, keywords)
        elif not method and (called := env.get(name)) and called.base and _handed_in(called):
            self._saw(called.base, Use.FUNCTION)
        return self._builtin(name, arguments, keywords)

    def _function(self, callee: ast.expr, env: dict[str, Value]) -> ast.FunctionDef | None:
        if (
            isinstance(callee, ast.Name)
            and callee.id not in env
            and len(self._returned) < MOST_DEPTH
        ):
            return self._functions.get(callee.id)
        return None

    def _inline(
        self,
        function: ast.FunctionDef,
        node: ast.Call,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        names = [argument.arg for argument in _arguments(function)]
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            spread: list[Value] = []
            for argument, value in zip(node.args, arguments, strict=True):
                wide = isinstance(argument, ast.Starred) and value.items is not None
                spread.extend(value.items or () if wide else [value])
            arguments = spread
        env = dict.fromkeys(names, NOTHING) | dict(zip(names, arguments, strict=False)) | keywords
        if function.args.vararg:
            env[function.args.vararg.arg] = Value(items=tuple(arguments[len(names) :]))
        return self.run(function, env)

    def _descriptor(self, owner: Value, name: str, offsets: list[Value]) -> Value:
        if owner.base and _handed_in(owner) and not owner.made:
            items = offsets[0].items if offsets else None
            rank = len(items) if items else 2
            self._saw(owner.base, Use.DESCRIPTOR, rank=rank)
        self._integers(offsets)
        return _loaded(owner) if name in ("load", "gather") else NOTHING

    def _builtin(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        first = (
            arguments[0] if arguments else keywords.get("pointer", keywords.get("base", NOTHING))
        )
        everything = [*arguments, *keywords.values()]
        if name in SHAPED:
            self._sizes(arguments[SHAPED[name] :] or list(keywords.values()))
        if name in TYPED:
            self._types([*arguments[TYPED[name] : TYPED[name] + 1], *_of(keywords, "dtype")])
        if name in ("load", "store") or name.startswith("atomic_"):
            self._address(first)
            loaded = _loaded(first)
            if name in BITWISE_ATOMICS:
                self._saw_all(loaded, Use.INTEGER)
            return loaded
        match name:
            case (
                "make_block_ptr" | "make_tensor_descriptor" | "_experimental_make_tensor_descriptor"
            ):
                self._address(first)
                blocks = arguments[3:4] if "tensor" in name else arguments[4:5]
                self._sizes([*blocks, *_of(keywords, "block_shape")])
                self._integers([*arguments[1:], *keywords.values()])
                return Value(first.base, first.parts, made=True)
            case "arange":
                self._sizes(everything)
                return NOTHING
            case "program_id" | "num_programs":
                for value in everything:
                    if value.base and _handed_in(value):
                        self._saw(value.base, Use.AXIS)
                return NOTHING
            case "where":
                return self._either(*arguments[1:3]) if len(arguments) == 3 else _union(everything)
            case "dot" | "dot_scaled":
                for value in arguments[:2]:
                    if not value.cast:
                        self._saw_all(value, Use.MATRIX)
                return NOTHING
            case "isinstance" | "static_assert" | "device_assert" | "len" | "static_print":
                return NOTHING
        if name in MATHS:
            for value in arguments:
                if value.base and len(value.base) == 1 and value.parts == {value.base}:
                    self._saw(value.base, Use.FLOATING)
            return NOTHING
        if name in SAME:
            if name == "advance":
                self._integers(everything[1:])
            return first._replace(cast=True) if name in ("to", "cast") else first
        if name == "tuple":
            return first
        return _union(everything)

    def _sizes(self, values: Iterable[Value]) -> None:
        for value in values:
            for item in value.items or (value,):
                for part in item.parts:
                    if LOADED not in part:
                        self._saw(part, Use.SIZE)

    def _integers(self, values: Iterable[Value]) -> None:
        """What is loaded and says where to go is an integer; the rest is one anyway."""
        for value in values:
            for part in value.parts:
                if LOADED in part:
                    self._saw(part, Use.INTEGER)

    def _types(self, values: Iterable[Value]) -> None:
        for value in values:
            if value.base and _handed_in(value):
                self._saw(value.base, Use.DTYPE)

    def _address(self, value: Value) -> None:
        if value.items is not None:
            return
        base = value.base
        if base is not None:
            self._saw(base, Use.ADDRESS if base[-1] == LOADED else Use.POINTER)
        for part in value.parts:
            if part != base:
                self._saw(part, Use.INTEGER)

    def _either(self, one: Value, other: Value) -> Value:
        if one.base and other.base and one.base != other.base:
            self.uses[one.base].same.add(other.base)
            self.uses[other.base].same.add(one.base)
        return _join(one, other)

    def _saw_all(self, value: Value, use: Use) -> None:
        for part in value.parts:
            self._saw(part, use)

    def _saw(self, path: Path, use: Use, *, items: int = 0, rank: int = 0) -> None:
        uses = self.uses[path]
        uses.kinds.add(use)
        uses.items = max(uses.items, items)
        uses.rank = max(uses.rank, rank)


def place(function: str, node: ast.expr, before: int = 0) -> Place:
    """`before` is how many lines of the text stand before the function's `def`."""
    return (
        function,
        node.lineno - before,
        node.col_offset,
        (node.end_lineno or node.lineno) - before,
        node.end_col_offset or 0,
    )


def _handed_in(value: Value) -> bool:
    """The parameter itself or an item of it, not something computed from it or through it."""
    return value.base is not None and LOADED not in value.base and value.parts <= {value.base}


def _item(base: Path, index: int) -> Value:
    path = (*base, index)
    return Value(path, frozenset([path]))


def _loaded(value: Value) -> Value:
    if value.base is None or value.base.count(LOADED) > 1:
        return NOTHING
    path = (*value.base, LOADED)
    return Value(path, frozenset([path]))


def _join(one: Value, other: Value) -> Value:
    items = one.items or other.items
    if one.items and other.items and len(one.items) == len(other.items):
        items = tuple(map(_join, one.items, other.items))
    return Value(
        one.base or other.base,
        one.parts | other.parts,
        items,
        one.made or other.made,
        one.cast and other.cast,
    )


def _union(values: Iterable[Value]) -> Value:
    return Value(None, frozenset().union(*(value.parts for value in values)))


def _of(keywords: dict[str, Value], name: str) -> list[Value]:
    return [keywords[name]] if name in keywords else []


def _last(callee: ast.expr) -> str:
    match callee:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _literals(node: ast.expr) -> list[object]:
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return [e.value for e in elements if isinstance(e, ast.Constant)]
        case _:
            return []
