"""Inference of the dtypes of a launcher's answers from its text.

A dtype is known if an answer is allocated with a written dtype, or with the dtype of an argument.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ingest.drafting.called import (
    KEEPS,
    CalledFunction,
    Expression,
    find_called,
    is_still,
    root_of_call,
)
from ingest.drafting.host import Function, HostCode, walk_body

ALLOCATES = {"empty", "zeros", "ones", "full", "empty_strided", "new_empty", "new_zeros",
             "new_ones", "new_full"}  # fmt: skip
LIKE = {"empty_like", "zeros_like", "ones_like", "full_like"}
ELEMENTWISE = {"exp", "log", "sqrt", "rsqrt", "where"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult)
PARTS = {"chunk", "split", "unbind"}
CASTS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16", "double": "float64",
         "int": "int32", "long": "int64", "bool": "bool"}  # fmt: skip

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
    return [_answer_type(host, each) or "" for each in _returned(host, CalledFunction(function))]


def find_optional_answers(module: str, entry_point: str) -> list[bool]:
    """Return for each answer whether the launcher may return None in its place."""
    host = HostCode(module)
    function = host.functions.get(entry_point)
    if function is None:
        return []
    returned = _returned(host, CalledFunction(function))
    return [any(_may_be_none(host, answer) for answer in each) for each in returned]


def _is_none(at: Expression) -> bool:
    return isinstance(at.node, ast.Constant) and at.node.value is None


def _may_be_none(host: HostCode, at: Expression) -> bool:
    if at.number is not None:
        called = find_called(host, at.node, at.place)
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


def _returned(host: HostCode, place: CalledFunction) -> list[list[Expression]]:
    """Return the possible first answers of a function, its possible second answers, and so on."""
    columns: list[list[Expression]] = []
    for node in walk_body(place.function.body):
        match node:
            case ast.Return(value=ast.Tuple(elts=answers)):
                several = [[Expression(each, place)] for each in answers]
            case ast.Return(value=ast.expr() as value):
                call = _called_by_name(Expression(value, place))
                called = find_called(host, call.node, call.place)
                several = (
                    _returned(host, called) if called is not None else [[Expression(value, place)]]
                )
            case _:
                continue
        columns += [[] for _ in several[len(columns) :]]
        for known, more in zip(columns, several, strict=False):
            known += more
    return columns


def _called_by_name(at: Expression) -> Expression:
    """Return the one call that a name is bound to, beside its own parts: `y, z = y`. Return any
    other expression as it is.
    """
    if not isinstance(at.node, ast.Name):
        return at
    calls = [
        value
        for value in at.place.values(at.node.id)
        if value.number is None and isinstance(value.node, ast.Call)
    ]
    return calls[0] if len(calls) == 1 else at


def _tensor_type(host: HostCode, at: Expression, seen: Seen = frozenset()) -> str | None:
    """Return the dtype of a tensor, or None if it is unknown."""
    node, place = at.node, at.place
    if at.number is not None:
        call = _called_by_name(at)
        called = find_called(host, call.node, call.place)
        answers = _returned(host, called) if called is not None else []
        if len(answers) == 1:
            # Its parts: `out.chunk(2)`.
            return _answer_type(host, answers[0], seen)
        return _answer_type(host, answers[at.number], seen) if at.number < len(answers) else None
    match node:
        case ast.Name(id=name):
            if (id(place), name) in seen:
                return None
            # `y = y.view(…)` does not change the dtype of `y`.
            values = [
                value for value in place.values(name)
                if value.place is not place or not is_still(value.node, name)
            ]  # fmt: skip
            own = place.depth == 0 and name in _parameters(place.function)
            known = seen | {(id(place), name)}
            types = [
                (_tensor_type(host, value, known), name in _names(value.node))
                for value in values
                if not _is_none(value)
            ]
            # `loss = alpha * loss` does not contradict another value of `loss`.
            types_told = [each for each, of_itself in types if each is not None or not of_itself]
            if len({*types_told}) > 1 and types[-1][0] is not None and types[-1][1]:
                # `grad = grad.type_as(x)` is the last to decide.
                return types[-1][0]
            return _same([*([f"{name}.dtype"] if own else []), *types_told])
        case ast.IfExp(body=first, orelse=second):
            return _common_type(host, [Expression(first, place), Expression(second, place)], seen)
        case ast.Subscript(value=ast.Name() as value):
            return _tensor_type(host, Expression(value, place), seen)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _tensor_type(host, Expression(operand, place), seen)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
            tensors = [each for each in (left, right) if not _is_number(each)]
            return _common_type(host, [Expression(each, place) for each in tensors], seen)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            if attr in ALLOCATES | LIKE:
                dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
                if dtype is not None:
                    return _named_type(host, Expression(dtype, place), seen)
                like = node.args[0] if attr in LIKE else value
                return (
                    _tensor_type(host, Expression(like, place), seen)
                    if root_of_call(like) != "torch"
                    else None
                )
            if root_of_call(value) == "torch" and attr in ELEMENTWISE:
                # `where` answers with the type of its two values.
                each = node.args[1:] if attr == "where" else node.args[:1]
                return _common_type(host, [Expression(one, place) for one in each], seen)
            if attr in {"to", "view"} and len(node.args) == 1:
                named = _named_type(host, Expression(node.args[0], place), seen)
                if named or attr == "to":
                    return named
            if attr == "type_as" and len(node.args) == 1:
                return _tensor_type(host, Expression(node.args[0], place), seen)
            if attr in CASTS and not node.args:
                return f"torch.{CASTS[attr]}"
            if attr in KEEPS | PARTS:
                return _tensor_type(host, Expression(value, place), seen)
    called = find_called(host, node, place)
    answers = _returned(host, called) if called is not None else []
    return _answer_type(host, answers[0], seen) if len(answers) == 1 else None


def _answer_type(
    host: HostCode, answers: Sequence[Expression], seen: Seen = frozenset()
) -> str | None:
    """Return the dtype of an answer. A return of None, or of an unknown dtype, does not contradict
    the other returns.
    """
    types = [_tensor_type(host, answer, seen) for answer in answers if not _is_none(answer)]
    return _same([each for each in types if each is not None])


def _common_type(
    host: HostCode,
    values: Sequence[Expression],
    seen: Seen = frozenset(),
    more: Sequence[str] = (),
) -> str | None:
    """Return the dtype that all values have, or None."""
    return _same([*more, *(_tensor_type(host, value, seen) for value in values)])


def _named_type(host: HostCode, at: Expression, seen: Seen) -> str | None:
    """Return the dtype that an expression names: `torch.int8`, `x.dtype`, `given or …`."""
    match at.node:
        case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
            return f"torch.{attr}"
        case ast.Attribute(value=value, attr="dtype"):
            return _tensor_type(host, Expression(value, at.place), seen)
        case ast.BoolOp(op=ast.Or(), values=[first, second]):
            chosen = second if at.place.is_none(first) else first
            return _named_type(host, Expression(chosen, at.place), seen)
        case ast.Name(id=name) if (id(at.place), name) not in seen:
            known = seen | {(id(at.place), name)}
            return _same([_named_type(host, value, known) for value in at.place.values(name)])
    return None


def _same(types: Sequence[str | None]) -> str | None:
    return types[0] if types and len(set(types)) == 1 else None


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_number(node: ast.expr) -> bool:
    return all(
        isinstance(each, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        for each in ast.walk(node)
    )


def _parameters(function: Function) -> set[str]:
    return {argument.arg for argument in function.args.args}


def order_answers(before: Sequence[ast.stmt], answers: Sequence[ast.expr]) -> list[int]:
    """Return the places of compared answers in the order in which a launcher gives them."""
    places = list(range(len(answers)))
    names = [answer.id for answer in answers if isinstance(answer, ast.Name)]
    if len(names) != len(answers):
        return places
    for statement in reversed(before):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                bound = [target.id for target in targets if isinstance(target, ast.Name)]
                if set(names) <= set(bound):
                    return sorted(places, key=lambda place: bound.index(names[place]))
    return places
