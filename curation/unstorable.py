"""JSON texts that no database takes: PostgreSQL refuses zero bytes, and both refuse surrogates."""

from typing import Any


def unstorable(value: Any, name: str) -> str:
    """Return where in the JSON value `name` a text can't be stored, or "".

    It iterates: a value may be nested more deeply than a function can call itself.
    """
    left = [(name, value)]
    while left:
        place, value = left.pop()
        if isinstance(value, str):
            if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value):
                return place
        elif isinstance(value, list):
            left += ((place, each) for each in value)
        elif isinstance(value, dict):
            left += ((place, key) for key in value)
            left += ((key if place == name else f"{place}.{key}", value[key]) for key in value)
    return ""
