"""Conversion between values and JSON, for messages to and from sandboxed processes.

Attack: a file takes control of the worker, which sends a hostile answer. Defense: each field is
checked against its type, and characters that no database stores are removed from strings.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")

LARGEST_NUMBER = 2**31 - 1
"""The largest integer that a column can hold in every database."""


class UnreadableAnswer(ValueError):
    """An answer is not JSON, or not of the expected type."""


def to_json(value: object) -> bytes:
    """Return a value as one line of JSON. Dataclasses become objects."""
    return json.dumps(value, default=_fields, separators=(",", ":")).encode()


def read_json(data: bytes) -> Any:
    """Return a worker's message as parsed JSON."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(f"it is no JSON: {error}") from None


def from_json(kind: type[Value], data: object) -> Value:
    """Return `data` as a value of `kind`, or raise UnreadableAnswer."""
    return cast(Value, _decoded(kind, data))


def _fields(value: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _decoded(kind: Any, data: Any) -> Any:
    if decode := PLAIN.get(kind):
        return decode(data)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        is_whole = isinstance(data, dict) and data.keys() == hints.keys()
        _expect(is_whole, f"the fields of a {kind.__name__}")
        return kind(**{name: _decoded(hint, data[name]) for name, hint in hints.items()})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        _expect(isinstance(data, list), "an array")
        if arguments[-1] is Ellipsis:
            return tuple([_decoded(arguments[0], each) for each in data])
        _expect(len(data) == len(arguments), f"an array of {len(arguments)}")
        return tuple([_decoded(*each) for each in zip(arguments, data, strict=True)])
    if origin is dict:
        _expect(isinstance(data, dict), "an object")
        return {_text(key): _decoded(arguments[1], each) for key, each in data.items()}
    if origin is Literal:
        _expect(isinstance(data, str) and data in arguments, f"one of {arguments}")
        return data
    if origin in (Union, types.UnionType):
        for choice in arguments:
            try:
                return _decoded(choice, data)
            except UnreadableAnswer:
                continue
    elif issubclass(kind, Enum) and data in [member.value for member in kind]:
        return kind(data)
    raise UnreadableAnswer(f"a value of {kind} was expected")


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _expect(is_valid: bool, what: str) -> None:
    if not is_valid:
        raise UnreadableAnswer(f"{what} was expected")


def _text(data: Any) -> str:
    _expect(isinstance(data, str), "a text")
    if data.isascii() and "\0" not in data:
        return str(data)
    # No database accepts a null character or half a surrogate pair.
    return str(data.replace("\0", "").encode("utf-8", "replace").decode())


def _whole_number(data: Any) -> int:
    _expect(type(data) is int and abs(data) <= LARGEST_NUMBER, "a whole number")
    return int(data)


def _number(data: Any) -> float:
    # This also refuses NaN, because no comparison with NaN is true.
    _expect(type(data) in (int, float) and abs(data) < math.inf, "a number")
    return float(data)


def _truth(data: Any) -> bool:
    _expect(isinstance(data, bool), "true or false")
    return bool(data)


def _nothing(data: Any) -> None:
    _expect(data is None, "null")


PLAIN: dict[Any, Any] = {
    str: _text,
    int: _whole_number,
    float: _number,
    bool: _truth,
    type(None): _nothing,
}
