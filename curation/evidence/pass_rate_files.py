"""Rows of a file of pass rates: CSV with a header, or JSON Lines.

A row names a pair (its record id, its number, or its content hash), a model, k, n and the number of
attempts that passed. A bad row becomes a sentence, and the rows after it are still read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.characters import has_invisible
from curation.errors import CurationError
from curation.models.pass_rates import MOST_ATTEMPTS

COLUMNS = ("pair", "model", "k", "n", "passed")
# Other names of the column `pair`.
PAIR_COLUMNS = ("pair", "id", "content_hash")
MODEL_MOST = 100
# Longest line of JSON; a row is far shorter.
LINE_MOST = 100_000


class UnreadableFile(CurationError):
    """A file that has no row at all in a known form."""


@dataclass(frozen=True, slots=True)
class RateRow:
    line: int
    pair: str
    model: str
    k: int
    n: int
    passed: int


@dataclass(frozen=True, slots=True)
class BadRow:
    line: int
    reason: str


class _WrongValue(Exception):
    """A value of a row that can't be used, with a sentence."""


def read_rows(path: Path) -> Iterator[RateRow | BadRow]:
    """Yield each row of a file. A name that ends in `.csv` means CSV, any other one JSON Lines."""
    values = _csv(path) if path.suffix.lower() == ".csv" else _json_lines(path)
    for line, value in values:
        if isinstance(value, str):
            yield BadRow(line, value)
            continue
        try:
            yield _row(line, value)
        except _WrongValue as error:
            yield BadRow(line, str(error))


def _csv(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    # Bytes that are no UTF-8 cost their row only.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = [name.strip().lower() for name in next(reader, [])]
        except csv.Error as error:
            raise UnreadableFile(f"Line 1 of {path} is no header: {error}.") from None
        missing = [name for name in COLUMNS[1:] if name not in header]
        if not set(PAIR_COLUMNS) & set(header):
            missing.insert(0, "pair")
        if missing:
            raise UnreadableFile(
                f"Line 1 of {path} names no column {missing[0]!r}. "
                f"The columns are: {', '.join(COLUMNS)}."
            )
        while True:
            line = reader.line_num + 1
            try:
                values = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, f"It is not CSV: {error}."
                continue
            if not values:
                continue
            if len(values) != len(header):
                yield line, f"It has {len(values)} values, but the header has {len(header)}."
            else:
                yield line, dict(zip(header, values, strict=True))


def _json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    with path.open("rb") as file:
        for line, data in enumerate(file, start=1):
            if not data.strip():
                continue
            if len(data) > LINE_MOST:
                yield line, f"It is longer than {LINE_MOST:,} bytes."
                continue
            try:
                value = json.loads(data)
            except (ValueError, RecursionError):
                yield line, "It is not JSON."
                continue
            yield line, value if isinstance(value, dict) else "It is not a JSON object."


def _row(line: int, values: Mapping[str, Any]) -> RateRow:
    pair = next((values[name] for name in PAIR_COLUMNS if values.get(name) not in (None, "")), "")
    k, n, passed = (_count(values, name) for name in ("k", "n", "passed"))
    if k < 1:
        raise _WrongValue("k must be at least 1.")
    if n < k:
        raise _WrongValue(f"pass@{k} needs at least {k} attempts, but n is {n}.")
    if n > MOST_ATTEMPTS:
        raise _WrongValue(f"n is larger than {MOST_ATTEMPTS:,}.")
    if passed > n:
        raise _WrongValue(f"{passed} attempts passed, but there were only {n}.")
    return RateRow(line, _pair(pair), _model(values.get("model")), k, n, passed)


def _pair(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise _WrongValue("It names no pair.")
    return _clean(str(value).strip(), "pair")


def _model(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _WrongValue("It names no model.")
    name = _clean(value.strip(), "model")
    if len(name) > MODEL_MOST:
        raise _WrongValue(f"The name of its model is longer than {MODEL_MOST} characters.")
    return name


def _clean(text: str, column: str) -> str:
    if not text.isprintable() or has_invisible(text):
        raise _WrongValue(f"Its {column} has characters that are no text.")
    return text


def _count(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    text = value.strip() if isinstance(value, str) else ""
    if text.isascii() and text.isdecimal() and len(text) < 19:
        return int(text)
    if value is None or value == "":
        raise _WrongValue(f"It has no value for {name}.")
    raise _WrongValue(f"{name} is {str(value)[:40]!r}, which is no whole number.")
