"""Values as JSON and back, for both sides of the pipe.

Attack: a file takes over the worker, which sends a hostile answer. Defense: each field is
checked against its type, and strings become valid for a database.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")

LARGEST_NUMBER = 2**31 - 1
"""The largest integer that a column of every database holds."""


class UnreadableAnswer(ValueError):
    """An answer is not JSON, or not of the expected type."""


def to_json(value: object) -> bytes:
    """Return one line of JSON; dataclasses become objects."""
    return json.dumps(value, default=_fields, separators=(",", ":")).encode()


def read_json(data: bytes) -> Any:
    """Parse a worker's message."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(f"it is no JSON: {error}") from None


def from_json(kind: type[Value], data: object) -> Value:
    """Return `data` as a value of `kind`, or raise UnreadableAnswer."""
    value: Value = _decoder(cast(Hashable, kind))(data)
    return value


def _fields(value: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


Decoder = Callable[[Any], Any]


@cache
def _decoder(kind: Hashable) -> Decoder:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _union([_decoder(one) for one in arguments])
    if origin is Literal:
        return _choice(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is dict:
        return _mapping(_decoder(arguments[1]))
    if kind is Any:
        return _anything
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enumeration(kind)
    if dataclasses.is_dataclass(kind):
        return _record(kind)
    return PLAIN[kind]


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise UnreadableAnswer("a text was expected")
    if data.isascii() and "\0" not in data:
        return data
    # No database accepts a null character or half a surrogate pair.
    return data.replace("\0", "").encode("utf-8", "replace").decode()


def _whole_number(data: Any) -> int:
    if type(data) is not int or abs(data) > LARGEST_NUMBER:
        raise UnreadableAnswer("a whole number was expected")
    return data


def _number(data: Any) -> float:
    if type(data) not in (int, float) or not math.isfinite(data):
        raise UnreadableAnswer("a number was expected")
    return float(data)


def _truth(data: Any) -> bool:
    if not isinstance(data, bool):
        raise UnreadableAnswer("true or false was expected")
    return data


def _nothing(data: Any) -> None:
    if data is not None:
        raise UnreadableAnswer("null was expected")


def _anything(data: Any) -> Any:
    match data:
        case str():
            return _text(data)
        case list():
            return [_anything(each) for each in data]
        case dict():
            return {_text(key): _anything(each) for key, each in data.items()}
        case bool() | None:
            return data
        case int():
            return _whole_number(data)
        case _:
            return _number(data)


PLAIN: Mapping[Any, Decoder] = {
    str: _text,
    int: _whole_number,
    float: _number,
    bool: _truth,
    type(None): _nothing,
}


def _union(choices: list[Decoder]) -> Decoder:
    def decode(data: Any) -> Any:
        for choice in choices:
            try:
                return choice(data)
            except UnreadableAnswer:
                continue
        raise UnreadableAnswer("it is of no expected type")

    return decode


def _choice(allowed: tuple[Any, ...]) -> Decoder:
    def decode(data: Any) -> Any:
        if not isinstance(data, str) or data not in allowed:
            raise UnreadableAnswer(f"one of {', '.join(map(str, allowed))} was expected")
        return data

    return decode


def _enumeration(kind: type[Enum]) -> Decoder:
    def decode(data: Any) -> Any:
        try:
            return kind(data)
        except (ValueError, TypeError):
            raise UnreadableAnswer(f"a {kind.__name__} was expected") from None

    return decode


def _tuple(arguments: tuple[Any, ...]) -> Decoder:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        each = _decoder(arguments[0])
        return lambda data: tuple(map(each, _array(data)))
    parts = [_decoder(one) for one in arguments]

    def decode(data: Any) -> Any:
        if len(_array(data)) != len(parts):
            raise UnreadableAnswer(f"{len(parts)} values were expected")
        return tuple(part(value) for part, value in zip(parts, data, strict=True))

    return decode


def _array(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise UnreadableAnswer("an array was expected")
    return data


def _mapping(value: Decoder) -> Decoder:
    def decode(data: Any) -> Any:
        if not isinstance(data, dict):
            raise UnreadableAnswer("an object was expected")
        return {_text(key): value(each) for key, each in data.items()}

    return decode


def _record(kind: Any) -> Decoder:
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    decoders = {name: _decoder(hints[name]) for name in names}

    def decode(data: Any) -> Any:
        if not isinstance(data, dict) or data.keys() != decoders.keys():
            raise UnreadableAnswer(f"the fields of a {kind.__name__} were expected")
        return kind(**{name: read(data[name]) for name, read in decoders.items()})

    return decode
