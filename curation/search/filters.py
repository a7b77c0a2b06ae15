"""Filter language of lists, bulk decisions, the API, saved views and the export.

A filter is a query string (`?status=approved&operation=matmul`) or a shell text (`status=approved
operation=matmul "tl.dot"`). Values of one key are combined with OR, keys with AND. Words without a
key are searched for: an item must contain all words, and each "phrase in quotation marks". If a key
does not apply to an item, such as a language to a pair, the item does not match.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self, TypeVar
from urllib.parse import parse_qsl, urlencode

from django.db import models

from curation.models import (
    Category,
    Difficulty,
    Hardware,
    Kernel,
    Kind,
    Language,
    LicenseVerdict,
    OperationType,
    Pair,
    PairOrigin,
    Status,
    Verdict,
)
from curation.search.condition import holds
from curation.search.matching import (
    CONDITIONS,
    KINDS,
    NONE,
    Duplicates,
    WrongFilter,
    day_range,
    number_range,
)

Item = TypeVar("Item", Kernel, Pair)
Words = tuple[str, ...]


def _words(choices: type[models.TextChoices], none: str = "") -> dict[str, str]:
    """Return the label of each value, and `none` as the label of a missing value."""
    labels = {str(value): str(label) for value, label in choices.choices}
    return labels | ({NONE: none} if none else {})


_YES_NO = {"yes": "Yes", "no": "No"}
# Allowed values of each filter that is not free text, with their labels.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "items": {kind: kind.capitalize() for kind in KINDS},
    "status": _words(Status),
    "category": _words(Category),
    "verdict": _words(LicenseVerdict),
    "operation": {value: value for value in OperationType.values} | {NONE: "not known"},
    "difficulty": _words(Difficulty, "Not known"),
    "validation": _words(Verdict, "Not validated"),
    "duplicates": _words(Duplicates),
    "contaminated": _YES_NO,
    "standalone": _YES_NO,
    "disputed": _YES_NO,
    "hardware": _words(Hardware),
    "language": _words(Language),
    "kind": _words(Kind),
    "origin": _words(PairOrigin),
    "spills": _YES_NO,
    "unlaunched": _YES_NO,
}
# Parsers of filters that are ranges. They raise an error with a sentence for an invalid range.
RANGES: Mapping[str, Callable[[str], object]] = {
    "decided": day_range, "speedup": number_range, "pass_rate": number_range,
    "registers": number_range, "open_claims": number_range,
}  # fmt: skip
LONGEST = 1000
# A word, or a phrase in quotation marks. The mark that ends a phrase is before a blank or the end.
TEXT = re.compile(r'(?<!\S)"((?:[^"]|"(?!\s|\Z))++)"(?!\S)|(\S+)')
# Maximum values of one key, and of a filter. Each is a condition in SQL, and SQLite allows 1,000.
MOST_OF_KEY, MOST_VALUES = 50, 200


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on items. An empty filter matches all."""

    items: Words = ()
    id: Words = ()
    status: Words = ()
    repository: Words = ()
    category: Words = ()
    license: Words = ()
    verdict: Words = ()
    operation: Words = ()
    difficulty: Words = ()
    tag: Words = ()
    finding: Words = ()
    validation: Words = ()
    duplicates: Words = ()
    contaminated: Words = ()
    standalone: Words = ()
    disputed: Words = ()
    hardware: Words = ()
    language: Words = ()
    kind: Words = ()
    origin: Words = ()
    speedup: Words = ()
    pass_rate: Words = ()
    registers: Words = ()
    spills: Words = ()
    unlaunched: Words = ()
    open_claims: Words = ()
    reviewer: Words = ()
    decided: Words = ()
    q: Words = ()

    @classmethod
    def parse(cls, written: Iterable[tuple[str, str]]) -> Self:
        """Parse keys and values. Empty values are ignored, because an untouched form sends them."""
        values_by_key: dict[str, list[str]] = {}
        for key, value in written:
            if key not in KEYS:
                raise WrongFilter(f"There is no filter {key!r}. There are: {', '.join(KEYS)}.")
            for text in _texts(value) if key == "q" else (value.strip(),):
                if _checked(key, text):
                    values_by_key.setdefault(key, []).append(text)
        for key, values in values_by_key.items():
            if len(values) > MOST_OF_KEY:
                raise WrongFilter(
                    f"A filter takes at most {MOST_OF_KEY} values under one key, "
                    f"not {len(values):,} under {key!r}."
                )
        if (count := sum(map(len, values_by_key.values()))) > MOST_VALUES:
            raise WrongFilter(f"A filter takes at most {MOST_VALUES} values in all, not {count:,}.")
        # Sort values and drop repetitions, so that equal filters have the same text.
        return cls(**{key: tuple(sorted(set(values))) for key, values in values_by_key.items()})

    @classmethod
    def from_query(cls, query: str) -> Self:
        return cls.parse(parse_qsl(query.removeprefix("?"), keep_blank_values=True))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Parse the text of `--where`. Words without a key are searched for."""
        try:
            parts = shlex.split(text)
        except ValueError:
            raise WrongFilter(f"A quotation mark is not closed in {text!r}.") from None
        written = (part.partition("=") for part in parts)
        return cls.parse(
            (key, value) if equals else ("q", _quoted(key.strip()))
            for key, equals, value in written
        )

    def pairs(self) -> list[tuple[str, str]]:
        return [
            (key, _quoted(value) if key == "q" else value)
            for key in KEYS
            for value in getattr(self, key)
        ]

    def query(self) -> str:
        """Return the filter as a query string, in canonical order."""
        return urlencode(self.pairs())

    def text(self) -> str:
        """Return the filter as shell text, in canonical order."""
        return " ".join(shlex.quote(f"{key}={value}") for key, value in self.pairs())

    def without(self, key: str) -> Self:
        return self.parse((name, value) for name, value in self.pairs() if name != key)

    def __bool__(self) -> bool:
        return any(getattr(self, key) for key in KEYS)

    def of(self, items: models.QuerySet[Item], bounded: bool = False) -> models.QuerySet[Item]:
        """Return those kernels or pairs among `items` that match.

        bounded: search only the newest hits of a common word, for lists that must answer quickly.
        """
        for key in KEYS:
            if values := getattr(self, key):
                if key == "q":
                    items = items.filter(holds(items.model, values, bounded))
                else:
                    items = items.filter(CONDITIONS[key](items.model, values))
        return items


KEYS: Words = tuple(field.name for field in fields(Filter))


def _texts(search: str) -> list[str]:
    """Return the words of a search, and its phrases without their quotation marks."""
    # The length limit bounds the duration of the search. The two marks of a phrase do not count.
    _checked("q", search[:-2].strip())
    return [text for found in TEXT.findall(search) if (text := found[0] or found[1]).strip()]


def _quoted(text: str) -> str:
    """Return a word or phrase in the form in which a person types it in a search."""
    is_phrase = any(map(str.isspace, text)) or (len(text) > 1 and text[0] == text[-1] == '"')
    return f'"{text}"' if is_phrase else text


def _checked(key: str, value: str) -> str:
    if len(value) > LONGEST:
        raise WrongFilter(f"The value of {key!r} is longer than {LONGEST:,} characters.")
    if "\0" in value:
        raise WrongFilter(f"The value of {key!r} contains a zero byte.")
    allowed = CHOICES.get(key)
    if value and allowed and value not in allowed:
        raise WrongFilter(f"{key}={value} is not valid: {key} is {' or '.join(allowed)}.")
    if value and key in RANGES:
        RANGES[key](value)
    if value and key == "id" and not (value.isdecimal() and value.isascii() and len(value) < 19):
        raise WrongFilter(f"id={value} is not valid: id is the number in an item's address.")
    return value
