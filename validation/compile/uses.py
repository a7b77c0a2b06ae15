"""Uses of each parameter of a kernel, read from a unit's syntax tree.

Names and annotations of a parameter are unreliable, but its uses are not. An address is a pointer.
A loaded value within an address is an integer. An argument of `arange` is a size. Calls of the
unit's helpers are followed, with the caller's arguments.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from validation.compile.value_sources import (
    LOADED,
    NOTHING,
    Path,
    PathUses,
    Place,
    UseKind,
    UsesByPath,
    ValueSource,
    item_of,
    join,
    loaded,
    place,
    union,
)
from validation.compile.vocabulary import (
    BITWISE_ATOMICS,
    INTEGER_OPERATORS,
    MATHS,
    SAME,
    SHAPED,
    TYPED,
    last_name,
    literals,
    parameters_of,
    unstarred,
)

# Maximum number of steps of the analysis. Even the largest real kernels need fewer.
MOST_STEPS = 200_000
MOST_DEPTH = 12


def read_uses(source: str, kernel: str) -> PathUses:
    """Return the uses in the last function named `kernel`. Raises SyntaxError and KeyError."""
    tree = ast.parse(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    node = functions[kernel]
    reader = _Reader(functions)
    names = [argument.arg for argument in parameters_of(node)]
    reader.run(node, {name: ValueSource((name,), frozenset([(name,)])) for name in names})
    return PathUses(
        reader.seen.uses, {place: list(paths) for place, paths in reader.places.items()}
    )


class _Reader:
    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self._functions = functions
        self._within: list[ast.FunctionDef] = []
        self._returned: list[list[ValueSource]] = []
        self._steps = 0
        self.seen = UsesByPath()
        # A dictionary keeps the order. With a set, the search would vary from process to process.
        self.places: dict[Place, dict[Path, None]] = defaultdict(dict)

    def run(self, function: ast.FunctionDef, env: dict[str, ValueSource]) -> ValueSource:
        self._within.append(function)
        self._returned.append([])
        self._block(function.body, env)
        returned = self._returned.pop()
        self._within.pop()
        value = returned[0] if returned else NOTHING
        for other in returned[1:]:
            value = join(value, other)
        return value

    # --- Statements -------------------------------------------------------------------------

    def _block(self, statements: Iterable[ast.stmt], env: dict[str, ValueSource]) -> None:
        for statement in statements:
            self._steps += 1
            if self._steps < MOST_STEPS:
                self._statement(statement, env)

    def _statement(self, node: ast.stmt, env: dict[str, ValueSource]) -> None:
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
                    env[name] = self.seen.either(yes.get(name, NOTHING), no.get(name, NOTHING))
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                self._bind(target, self._turns(iterable, env), env)
                # Read it twice: the second iteration reads variables that the first assigned.
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

    def _bind(self, target: ast.expr, value: ValueSource, env: dict[str, ValueSource]) -> None:
        match target:
            case ast.Name(id=name):
                env[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                items = self._unpacked(value, len(targets))
                for inner, item in zip(targets, items, strict=True):
                    self._bind(inner, item, env)
            case _:
                pass

    def _unpacked(self, value: ValueSource, count: int) -> Sequence[ValueSource]:
        if value.items is not None and len(value.items) == count:
            return value.items
        if path := value.parameter:
            self.seen.record(path, UseKind.TUPLE, items=count)
            return [item_of(path, index) for index in range(count)]
        return [value._replace(items=None)] * count

    def _turns(self, iterable: ast.expr, env: dict[str, ValueSource]) -> ValueSource:
        """Return the value of a loop's variable, and record the uses of the loop's bounds."""
        if isinstance(iterable, ast.Call):
            values = [self._value(argument, env) for argument in iterable.args]
            small = last_name(iterable.func) == "static_range"
            for value in values:
                self.seen.record_all(value, UseKind.INTEGER)
                if small:
                    self.seen.record(value.parameter, UseKind.COUNT)
            for keyword in iterable.keywords:
                self.seen.record(self._value(keyword.value, env).parameter, UseKind.COUNT)
            return ValueSource(None, frozenset().union(*(value.parts for value in values)))
        value = self._value(iterable, env)
        if (path := value.parameter) and value.items is None:
            self.seen.record(path, UseKind.TUPLE, items=2)
            return item_of(path, 0)
        return value.items[0] if value.items else value

    # --- Expressions ------------------------------------------------------------------------

    def _value(self, node: ast.expr, env: dict[str, ValueSource]) -> ValueSource:
        value = self._evaluate(node, env)
        if value.parts:
            paths = self.places[place(self._within[-1].name, node, self._within[-1].lineno - 1)]
            if value.base:
                paths[value.base] = None
            paths.update(dict.fromkeys(sorted(value.parts, key=repr)))
        return value

    def _evaluate(self, node: ast.expr, env: dict[str, ValueSource]) -> ValueSource:
        self._steps += 1
        if self._steps > MOST_STEPS:
            return NOTHING
        match node:
            case ast.Name(id=name):
                return env.get(name, NOTHING)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                divided, by = self._value(left, env), self._value(right, env)
                self.seen.record(by.parameter, UseKind.COUNT)
                # The type of the dividend says nothing about a divisor that is a parameter.
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
                return self.seen.either(self._value(body, env), self._value(orelse, env))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                items = tuple(self._value(element, env) for element in elements)
                parts = frozenset().union(*(item.parts for item in items)) if items else frozenset()
                return ValueSource(None, parts, items)
            case ast.Subscript(value=inner, slice=index):
                return self._subscript(self._value(inner, env), index, env)
            case ast.Attribute(value=inner, attr=attribute):
                return self._attribute(self._value(inner, env), attribute)
            case ast.Call():
                return self._call(node, env)
            case _:
                return NOTHING

    def _operation(self, op: ast.operator, left: ValueSource, right: ValueSource) -> ValueSource:
        if isinstance(op, INTEGER_OPERATORS):
            for value in (left, right):
                self.seen.record_all(value, UseKind.INTEGER)
        parts = left.parts | right.parts
        if not isinstance(op, ast.Add | ast.Sub):
            return ValueSource(None, parts)
        if left.items is not None and right.items is not None:
            return ValueSource(None, parts, left.items + right.items)
        bases = [base for base in (left.base, right.base) if base]
        # The base is the operand that was used as a pointer before, or else the left operand.
        pointers = [base for base in bases if UseKind.POINTER in self.seen.uses[base].kinds]
        return ValueSource(next(iter([*pointers, *bases]), None), parts)

    def _comparison(self, node: ast.Compare, env: dict[str, ValueSource]) -> None:
        sides = [(side, self._value(side, env)) for side in (node.left, *node.comparators)]
        known_values = [literals(side) for side, _ in sides]
        for (_, value), others in zip(sides, reversed(known_values), strict=True):
            if (path := value.parameter) is None:
                continue
            for other in others:
                if other is None:
                    self.seen.record(path, UseKind.NONE)
                elif isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is):
                    self.seen.uses[path].equals.append(other)

    def _truth(self, node: ast.expr, env: dict[str, ValueSource]) -> None:
        value = self._value(node, env)
        if isinstance(node, ast.Name):
            self.seen.record(value.parameter, UseKind.FLAG)

    def _subscript(
        self, value: ValueSource, index: ast.expr, env: dict[str, ValueSource]
    ) -> ValueSource:
        self._value(index, env)
        number = index.value if isinstance(index, ast.Constant) else None
        known = value.items or ()
        if isinstance(number, int) and -len(known) <= number < len(known):
            return known[number]
        if isinstance(index, ast.Name):
            number = 0
        if (path := value.parameter) and isinstance(number, int) and number >= 0:
            self.seen.record(path, UseKind.TUPLE, items=number + 1)
            return item_of(path, number)
        return value._replace(items=None)

    def _attribute(self, value: ValueSource, attribute: str) -> ValueSource:
        if attribute == "element_ty":
            self.seen.record(value.parameter, UseKind.POINTER)
        return value if attribute in ("T", "type", "dtype", "value") else NOTHING

    # --- Calls ------------------------------------------------------------------------------

    def _call(self, node: ast.Call, env: dict[str, ValueSource]) -> ValueSource:
        name = last_name(node.func)
        method = isinstance(node.func, ast.Attribute)
        owner = (
            self._value(node.func.value, env) if isinstance(node.func, ast.Attribute) else NOTHING
        )
        arguments = [self._value(unstarred(argument), env) for argument in node.args]
        keywords = {k.arg: self._value(k.value, env) for k in node.keywords if k.arg}
        if owner.parts or owner.items or owner.made:
            if name in ("load", "store", "gather", "scatter", "atomic_add"):
                return self._descriptor(owner, name, arguments[:1])
            arguments = [owner, *arguments]
        elif function := self._function(node.func, env):
            return self._inline(function, node, arguments, keywords)
        elif not method:
            self.seen.record(env.get(name, NOTHING).parameter, UseKind.FUNCTION)
        return self._builtin(name, arguments, keywords)

    def _function(self, callee: ast.expr, env: dict[str, ValueSource]) -> ast.FunctionDef | None:
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
        arguments: list[ValueSource],
        keywords: dict[str, ValueSource],
    ) -> ValueSource:
        names = [argument.arg for argument in parameters_of(function)]
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            spread: list[ValueSource] = []
            for argument, value in zip(node.args, arguments, strict=True):
                wide = isinstance(argument, ast.Starred) and value.items is not None
                spread.extend(value.items or () if wide else [value])
            arguments = spread
        env = dict.fromkeys(names, NOTHING) | dict(zip(names, arguments, strict=False)) | keywords
        if function.args.vararg:
            env[function.args.vararg.arg] = ValueSource(items=tuple(arguments[len(names) :]))
        return self.run(function, env)

    def _descriptor(self, owner: ValueSource, name: str, offsets: list[ValueSource]) -> ValueSource:
        if not owner.made:
            items = offsets[0].items if offsets else None
            self.seen.record(owner.parameter, UseKind.DESCRIPTOR, rank=len(items) if items else 2)
        self.seen.integers(offsets)
        return loaded(owner) if name in ("load", "gather") else NOTHING

    def _builtin(
        self, name: str, arguments: list[ValueSource], keywords: dict[str, ValueSource]
    ) -> ValueSource:
        first = (
            arguments[0] if arguments else keywords.get("pointer", keywords.get("base", NOTHING))
        )
        values = [*arguments, *keywords.values()]
        if name in SHAPED:
            self.seen.sizes(arguments[SHAPED[name] :] or list(keywords.values()))
        if name in TYPED:
            self.seen.types([*arguments[TYPED[name] : TYPED[name] + 1], *_of(keywords, "dtype")])
        if name in ("load", "store") or name.startswith("atomic_"):
            self.seen.address(first)
            content = loaded(first)
            if name in BITWISE_ATOMICS:
                self.seen.record_all(content, UseKind.INTEGER)
            return content
        match name:
            case (
                "make_block_ptr" | "make_tensor_descriptor" | "_experimental_make_tensor_descriptor"
            ):
                self.seen.address(first)
                blocks = arguments[3:4] if "tensor" in name else arguments[4:5]
                self.seen.sizes([*blocks, *_of(keywords, "block_shape")])
                self.seen.integers([*arguments[1:], *keywords.values()])
                return ValueSource(first.base, first.parts, made=True)
            case "arange":
                self.seen.sizes(values)
                return NOTHING
            case "program_id" | "num_programs":
                for value in values:
                    self.seen.record(value.parameter, UseKind.AXIS)
                return NOTHING
            case "where":
                return self.seen.either(*arguments[1:3]) if len(arguments) == 3 else union(values)
            case "dot" | "dot_scaled":
                for value in arguments[:2]:
                    if not value.cast:
                        self.seen.record_all(value, UseKind.MATRIX)
                return NOTHING
            case "isinstance" | "static_assert" | "device_assert" | "len" | "static_print":
                return NOTHING
        if name in MATHS:
            for value in arguments:
                if value.base and len(value.base) == 1 and value.parts == {value.base}:
                    self.seen.record(value.base, UseKind.FLOATING)
            return NOTHING
        if name in SAME:
            if name == "advance":
                self.seen.integers(values[1:])
            return first._replace(cast=True) if name in ("to", "cast") else first
        if name == "tuple":
            return first
        return union(values)


def _of(keywords: dict[str, ValueSource], name: str) -> list[ValueSource]:
    return [keywords[name]] if name in keywords else []
