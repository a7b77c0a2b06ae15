"""Inference of the dtypes of a launcher's answers from its text.

A dtype is known if an answer is allocated with a written dtype, or with the dtype of an argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.drafting.host import Function, HostCode, walk_body

ALLOCATES = {"empty", "zeros", "ones", "full", "empty_strided", "new_empty", "new_zeros",
             "new_ones", "new_full"}  # fmt: skip
LIKE = {"empty_like", "zeros_like", "ones_like", "full_like"}
KEEPS = {"view", "reshape", "contiguous", "squeeze", "unsqueeze", "transpose", "permute",
         "expand", "flatten", "unflatten", "clone", "detach", "narrow", "t", "view_as",
         "movedim"}  # fmt: skip
ELEMENTWISE = {"exp", "log", "sqrt", "rsqrt", "where"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult)
CASTS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16", "double": "float64",
         "int": "int32", "long": "int64", "bool": "bool"}  # fmt: skip
# Bounds recursion: launchers are a few calls deep.
DEEPEST = 8

Seen = frozenset[tuple[int, str]]
"""The names whose dtype is being inferred, each with its function: they guard against recursion."""


def find_answer_types(module: str, entry_point: str) -> list[str]:
    """Return the dtype of each answer as an expression of the entry point's arguments, such as
    `torch.uint8` or `x.dtype`; "" if the text does not fix it.
    """
    host = HostCode(module)
    function = host.functions.get(entry_point)
    if function is None:
        return []
    return [_answer_type(host, each) or "" for each in _returned(host, _CalledFunction(function))]


def find_optional_answers(module: str, entry_point: str) -> list[bool]:
    """Return for each answer whether the launcher may return None in its place."""
    host = HostCode(module)
    function = host.functions.get(entry_point)
    if function is None:
        return []
    returned = _returned(host, _CalledFunction(function))
    return [any(_may_be_none(host, answer) for answer in each) for each in returned]


@dataclass(frozen=True, slots=True)
class _CalledFunction:
    """A function with the arguments of one call. `given` holds None for an argument of the entry
    point itself.
    """

    function: Function
    given: Mapping[str, _Expression | None] = field(default_factory=dict)
    depth: int = 0

    def values(self, name: str) -> list[_Expression]:
        """Return all values that a name is bound to here, or an empty list if some of them are
        unknown.
        """
        expressions: list[_Expression] = []
        stored = 0
        for node in walk_body(self.function.body):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        expressions += self._bound(target, name, value)
                case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value):
                    expressions += [_Expression(value, self)] if bound == name else []
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

    def _bound(self, target: ast.expr, name: str, value: ast.expr) -> Iterator[_Expression]:
        match target, value:
            case ast.Name(id=bound), _ if bound == name:
                yield _Expression(value, self)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for inner, one in zip(targets, values, strict=True):
                    yield from self._bound(inner, name, one)
            case ast.Tuple(elts=targets), ast.GeneratorExp(
                elt=elt,
                generators=[
                    ast.comprehension(target=ast.Name(id=each), iter=ast.Tuple(elts=values))
                ],
            ) if _is_still(elt, each):
                # `q, k = (x.contiguous() for x in (q, k))`
                yield from self._bound(target, name, ast.Tuple(values, ast.Load()))
            case ast.Tuple(elts=targets), _:
                for number, inner in enumerate(targets):
                    if isinstance(inner, ast.Name) and inner.id == name:
                        yield _Expression(value, self, number)


@dataclass(frozen=True, slots=True)
class _Expression:
    """An expression in its function. `number` selects one of the answers of a call."""

    node: ast.expr
    place: _CalledFunction
    number: int | None = None


def _is_none(at: _Expression) -> bool:
    return isinstance(at.node, ast.Constant) and at.node.value is None


def _may_be_none(host: HostCode, at: _Expression) -> bool:
    if at.number is not None:
        called = _called(host, at.node, at.place)
        answers = _returned(host, called) if called is not None else []
        return at.number < len(answers) and any(
            _may_be_none(host, answer) for answer in answers[at.number]
        )
    if isinstance(at.node, ast.Name):
        values = at.place.values(at.node.id)
        return any(
            _is_none(value) or (value.number is not None and _may_be_none(host, value))
            for value in values
        )
    return _is_none(at)


def _returned(host: HostCode, place: _CalledFunction) -> list[list[_Expression]]:
    """Return the possible first answers of a function, its possible second answers, and so on."""
    columns: list[list[_Expression]] = []
    for node in walk_body(place.function.body):
        match node:
            case ast.Return(value=ast.Tuple(elts=answers)):
                several = [[_Expression(each, place)] for each in answers]
            case ast.Return(value=ast.expr() as value):
                called = _called(host, value, place)
                several = (
                    _returned(host, called) if called is not None else [[_Expression(value, place)]]
                )
            case _:
                continue
        columns += [[] for _ in several[len(columns) :]]
        for known, more in zip(columns, several, strict=False):
            known += more
    return columns


def _called(host: HostCode, node: ast.expr, place: _CalledFunction) -> _CalledFunction | None:
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
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    for keyword, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            defaults[keyword.arg] = default
    given: dict[str, _Expression | None] = {
        name: _Expression(node, place) for name, node in defaults.items()
    }
    given |= {
        name: _Expression(argument, place)
        for name, argument in zip(names[skipped:], node.args, strict=False)
    }
    given |= {each.arg: _Expression(each.value, place) for each in node.keywords if each.arg}
    return _CalledFunction(function, given, place.depth + 1)


def _target(
    host: HostCode, called: ast.expr, place: _CalledFunction
) -> tuple[Function | None, int]:
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


def _tensor_type(host: HostCode, at: _Expression, seen: Seen = frozenset()) -> str | None:
    """Return the dtype of a tensor, or None if it is unknown."""
    node, place = at.node, at.place
    if at.number is not None:
        called = _called(host, node, place)
        answers = _returned(host, called) if called is not None else []
        return _answer_type(host, answers[at.number], seen) if at.number < len(answers) else None
    match node:
        case ast.Name(id=name):
            if (id(place), name) in seen:
                return None
            # `y = y.view(…)` does not change the dtype of `y`.
            values = [
                value for value in place.values(name)
                if value.place is not place or not _is_still(value.node, name)
            ]  # fmt: skip
            own = place.depth == 0 and name in _parameters(place.function)
            known = seen | {(id(place), name)}
            types = [
                (_tensor_type(host, value, known), name in _names(value.node))
                for value in values
                if not _is_none(value)
            ]
            # `loss = alpha * loss` does not contradict another value of `loss`.
            told = [each for each, of_itself in types if each is not None or not of_itself]
            return _same([*([f"{name}.dtype"] if own else []), *told])
        case ast.IfExp(body=first, orelse=second):
            return _common_type(host, [_Expression(first, place), _Expression(second, place)], seen)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _tensor_type(host, _Expression(operand, place), seen)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
            tensors = [each for each in (left, right) if not _is_number(each)]
            return _common_type(host, [_Expression(each, place) for each in tensors], seen)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            if attr in ALLOCATES | LIKE:
                dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
                if dtype is not None:
                    return _named_type(host, _Expression(dtype, place), seen)
                like = node.args[0] if attr in LIKE else value
                return (
                    _tensor_type(host, _Expression(like, place), seen)
                    if _root(like) != "torch"
                    else None
                )
            if _root(value) == "torch" and attr in ELEMENTWISE:
                # `where` answers with the type of its two values.
                each = node.args[1:] if attr == "where" else node.args[:1]
                return _common_type(host, [_Expression(one, place) for one in each], seen)
            if attr in {"to", "view"} and len(node.args) == 1:
                named = _named_type(host, _Expression(node.args[0], place), seen)
                if named or attr == "to":
                    return named
            if attr in CASTS and not node.args:
                return f"torch.{CASTS[attr]}"
            if attr in KEEPS:
                return _tensor_type(host, _Expression(value, place), seen)
    called = _called(host, node, place)
    answers = _returned(host, called) if called is not None else []
    return _answer_type(host, answers[0], seen) if len(answers) == 1 else None


def _answer_type(
    host: HostCode, answers: Sequence[_Expression], seen: Seen = frozenset()
) -> str | None:
    """Return the dtype of an answer. A return of None, or of an unknown dtype, does not contradict
    the other returns.
    """
    types = [_tensor_type(host, answer, seen) for answer in answers if not _is_none(answer)]
    return _same([each for each in types if each is not None])


def _common_type(
    host: HostCode,
    values: Sequence[_Expression],
    seen: Seen = frozenset(),
    more: Sequence[str] = (),
) -> str | None:
    """Return the dtype that all values have, or None."""
    return _same([*more, *(_tensor_type(host, value, seen) for value in values)])


def _named_type(host: HostCode, at: _Expression, seen: Seen) -> str | None:
    """Return the dtype that an expression names: `torch.int8`, `x.dtype`, `given or …`."""
    match at.node:
        case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
            return f"torch.{attr}"
        case ast.Attribute(value=value, attr="dtype"):
            return _tensor_type(host, _Expression(value, at.place), seen)
        case ast.BoolOp(op=ast.Or(), values=[first, second]):
            chosen = second if at.place.is_none(first) else first
            return _named_type(host, _Expression(chosen, at.place), seen)
        case ast.Name(id=name) if (id(at.place), name) not in seen:
            known = seen | {(id(at.place), name)}
            return _same([_named_type(host, value, known) for value in at.place.values(name)])
    return None


def _same(types: Sequence[str | None]) -> str | None:
    return types[0] if types and len(set(types)) == 1 else None


def _is_still(node: ast.expr, name: str) -> bool:
    """Return whether an expression is the tensor of that name in another shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        reads_anew = node.func.attr == "view" and any(
            "torch." in ast.unparse(each) for each in node.args
        )
        if node.func.attr not in KEEPS or reads_anew:
            return False
        node = node.func.value
    return _root(node) == name


def _root(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_number(node: ast.expr) -> bool:
    return all(
        isinstance(each, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        for each in ast.walk(node)
    )


def _parameters(function: Function) -> set[str]:
    return {argument.arg for argument in function.args.args}
