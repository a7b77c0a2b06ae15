"""Texts in JSON that no column can store: zero bytes (PostgreSQL), lone surrogates (SQLite too)."""

from typing import Any


def unstorable(value: Any, name: str) -> str:
    """Return the path to a text in the JSON value `name` that can't be stored, or "".

    It does not recurse, because a value may be nested more deeply than Python's recursion limit.
    """
    stack = [(name, value)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, str):
            if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value):
                return place
        elif isinstance(value, list):
            stack += ((place, each) for each in value)
        elif isinstance(value, dict):
            stack += ((place, key) for key in value)
            stack += ((key if place == name else f"{place}.{key}", value[key]) for key in value)
    return ""
