"""Code shared by the parsers of foreign formats."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]


class RefusedRecord(Exception):
    """The record can't become a pair. The message gives the reasons."""


def text(record: Record, key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value.strip():
        raise RefusedRecord(f"{key} is missing or empty.")
    return value


def parsed(source: str, name: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise RefusedRecord(f"{name} does not parse: line {error.lineno}: {error.msg}.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise RefusedRecord(f"{name} does not parse: {error}.") from error


def of_choice(record: Record, key: str, allowed: Sequence[str], otherwise: str) -> str:
    value = record.get(key, otherwise)
    if value not in allowed:
        raise RefusedRecord(f"{key} is {value!r}: it must be one of {', '.join(allowed)}.")
    return str(value)
