"""Values of a followed function, and their canonical spelling."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from curation.similarity.syntax import syntax_hash


class NotFollowedError(Exception):
    """The function contains a construct that is not followed."""


@dataclass(slots=True)
class FunctionValue:
    """A function of the text, with the values of the names around it."""

    node: ast.FunctionDef | ast.Lambda
    around: dict[str, Value]


@dataclass(slots=True)
class Layer:
    """An `nn.Module` that a class holds: the name of its operation, and its arguments."""

    operation: str
    arguments: str
    layers: list[Value] = field(default_factory=list)
    """Parts of an `nn.Sequential`."""


@dataclass(slots=True)
class Instance:
    """The `self` of the class that is read."""

    methods: dict[str, ast.FunctionDef]
    attributes: dict[str, Value] = field(default_factory=dict)


Value: TypeAlias = "str | tuple[Value, ...] | FunctionValue | Layer | Instance"
"""A string is a number (`v3`), a parameter (`p0`), a constant (`=1.0`), a path (`.torch.float32`)
or a property of a shape (`shape(p0)`)."""


def parameters(arguments: ast.arguments) -> list[Value]:
    """Return the parameters by position: their names do not matter."""
    listed = [*arguments.posonlyargs, *arguments.args]
    return [f"p{number}" for number, _ in enumerate(listed)]


def constant(value: object) -> str:
    """Spell a constant: `1` and `1.0` are equal; texts, None and True are unchanged."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return f"={float(value)!r}"
        except OverflowError:
            return f"={value}"
    return f"={value!r}"


def negated(value: Value) -> str | None:
    """Return the constant with the other sign, or None if it is not a number."""
    if not isinstance(value, str) or not re.match(r"=-?\d", value):
        return None
    return f"={value[2:]}" if value.startswith("=-") else f"=-{value[1:]}"


def spelled(value: Value) -> str:
    match value:
        case str():
            return value
        case tuple():
            return f"({','.join(map(spelled, value))})"
        case Layer():
            return f"{value.operation}[{value.arguments}]"
        case FunctionValue():
            return f"function:{syntax_hash(ast.unparse(value.node))}"
    raise NotFollowedError("`self` is handed on.")


def arguments_spelled(operands: Sequence[Value], keywords: dict[str, Value]) -> str:
    named = [f"{name}={spelled(value)}" for name, value in sorted(keywords.items())]
    return " ".join([*map(spelled, operands), *named])


def is_path(value: Value) -> bool:
    return isinstance(value, str) and value.startswith(".")


def is_computed(value: Value) -> bool:
    """Return True if it depends on the values of a parameter or a result, not only on shapes."""
    return re.search(r"\b[pv]\d", re.sub(r"(item|shape)\([^()]*\)", "", spelled(value))) is not None
