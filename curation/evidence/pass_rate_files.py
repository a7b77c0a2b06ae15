"""Rows of a file of pass rates: CSV with a header, or JSON Lines.

A row names a pair (its record id, its number, or its content hash), a model, k, n and the number of
attempts that passed. A bad row gives a BadRow with the reason; later rows are still read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from curation.characters import has_invisible
from curation.errors import CurationError
from curation.models.pass_rates import MOST_ATTEMPTS

COLUMNS = ("pair", "model", "k", "n", "passed")
# Column names that are accepted in place of `pair`.
PAIR_COLUMNS = ("pair", "id", "content_hash")
# Maximum bytes of a line of JSON. A valid row is far shorter.
LINE_MOST = 100_000


class UnreadableFile(CurationError):
    """An error because a CSV file has no valid header, so that no row can be read."""


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


def _check_visible(text: str) -> None:
    if not text.isprintable() or has_invisible(text):
        raise ValidationError("It has characters that are no text.")


class RateForm(forms.Form):
    pair = forms.CharField(max_length=300, validators=[_check_visible])
    model = forms.CharField(max_length=100, validators=[_check_visible])
    k = forms.IntegerField(min_value=1)
    n = forms.IntegerField(max_value=MOST_ATTEMPTS)
    passed = forms.IntegerField(min_value=0)

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if {"k", "n"} <= values.keys() and values["n"] < values["k"]:
            self.add_error("n", f"pass@{values['k']} needs at least {values['k']} attempts.")
        elif {"passed", "n"} <= values.keys() and values["passed"] > values["n"]:
            self.add_error("passed", f"There were only {values['n']} attempts.")
        return values


def read_rows(path: Path) -> Iterator[RateRow | BadRow]:
    """Yield each row of a file. A name that ends in `.csv` means CSV, other names JSON Lines."""
    values = _csv(path) if path.suffix.lower() == ".csv" else _json_lines(path)
    for line, value in values:
        yield BadRow(line, value) if isinstance(value, str) else _row(line, value)


def _csv(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    # With surrogateescape, bytes that are not UTF-8 make only the row that has them invalid.
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


def _row(line: int, values: Mapping[str, Any]) -> RateRow | BadRow:
    pair = next((values[name] for name in PAIR_COLUMNS if values.get(name) not in (None, "")), "")
    form = RateForm({**values, "pair": pair})
    if form.is_valid():
        return RateRow(line, **form.cleaned_data)
    column, messages = next(iter(form.errors.items()))
    return BadRow(line, f"{column}: {messages[0]}")
