"""One language of filters: for lists, bulk decisions, the API, saved views and the export.

A filter is written as a query string (`?status=approved&operation=matmul`) or as a text for the
shell (`status=approved operation=matmul "tl.dot"`). A key given twice means either value; keys
narrow one another; words without a key are searched for. What a key can't say of an item, such as
the language of a pair, is not true of it.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self, TypeVar
from urllib.parse import parse_qsl, urlencode

from django.db import models

from curation.matching import CONDITIONS, KINDS, NONE, Duplicates, WrongFilter, day_range
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

Item = TypeVar("Item", Kernel, Pair)
Words = tuple[str, ...]

CHOICES: Mapping[str, Words] = {
    "items": tuple(KINDS),
    "status": tuple(Status.values),
    "category": tuple(Category.values),
    "verdict": tuple(LicenseVerdict.values),
    "operation": (*OperationType.values, NONE),
    "difficulty": (*Difficulty.values, NONE),
    "validation": (*Verdict.values, NONE),
    "duplicates": tuple(Duplicates.values),
    "contaminated": ("yes", "no"),
    "disputed": ("yes", "no"),
    "hardware": tuple(Hardware.values),
    "language": tuple(Language.values),
    "kind": tuple(Kind.values),
    "origin": tuple(PairOrigin.values),
}
LONGEST = 1000
# A statement has a condition for each word: SQLite takes 1,000, and each costs time.
MOST_OF_KEY, MOST_VALUES = 50, 200


@dataclass(frozen=True, slots=True)
class Filter:
    """What an item must be like. Empty: anything goes."""

    items: Words = ()
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
    disputed: Words = ()
    hardware: Words = ()
    language: Words = ()
    kind: Words = ()
    origin: Words = ()
    reviewer: Words = ()
    decided: Words = ()
    q: Words = ()

    @classmethod
    def parse(cls, written: Iterable[tuple[str, str]]) -> Self:
        """From keys and values. An empty value, as an untouched form sends, says nothing."""
        said: dict[str, list[str]] = {}
        for key, value in written:
            if key not in KEYS:
                raise WrongFilter(f"There is no filter {key!r}. There are: {', '.join(KEYS)}.")
            if value := _checked(key, value.strip()):
                said.setdefault(key, []).append(value)
        for key, values in said.items():
            if len(values) > MOST_OF_KEY:
                raise WrongFilter(
                    f"A filter takes at most {MOST_OF_KEY} values under one key, "
                    f"not {len(values):,} under {key!r}."
                )
        if (count := sum(map(len, said.values()))) > MOST_VALUES:
            raise WrongFilter(f"A filter takes at most {MOST_VALUES} values in all, not {count:,}.")
        # Sorted and without repetition: what means the same is written the same.
        return cls(**{key: tuple(sorted(set(values))) for key, values in said.items()})

    @classmethod
    def from_query(cls, query: str) -> Self:
        return cls.parse(parse_qsl(query.removeprefix("?"), keep_blank_values=True))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """From what `--where` takes; words without a key are searched for."""
        try:
            parts = shlex.split(text)
        except ValueError:
            raise WrongFilter(f"A quotation mark is not closed in {text!r}.") from None
        written = (part.partition("=") for part in parts)
        return cls.parse((key, value) if equals else ("q", key) for key, equals, value in written)

    def pairs(self) -> list[tuple[str, str]]:
        return [(key, value) for key in KEYS for value in getattr(self, key)]

    def query(self) -> str:
        """The same filter as a query string, always in the same order."""
        return urlencode(self.pairs())

    def text(self) -> str:
        """The same filter for the shell, always in the same order."""
        return " ".join(shlex.quote(f"{key}={value}") for key, value in self.pairs())

    def without(self, key: str) -> Self:
        return self.parse((name, value) for name, value in self.pairs() if name != key)

    def __bool__(self) -> bool:
        return any(getattr(self, key) for key in KEYS)

    def of(self, items: models.QuerySet[Item], bounded: bool = False) -> models.QuerySet[Item]:
        """Those of `items`, kernels or pairs, that are like this.

        `bounded`, for lists that answer at once, searches the newest hits of a common word only.
        """
        for key in KEYS:
            if values := getattr(self, key):
                if key == "q":
                    items = items.filter(holds(items.model, values, bounded))
                else:
                    items = items.filter(CONDITIONS[key](items.model, values))
        return items


KEYS: Words = tuple(field.name for field in fields(Filter))


def _checked(key: str, value: str) -> str:
    if len(value) > LONGEST:
        raise WrongFilter(f"What is looked for under {key!r} is longer than {LONGEST:,} letters.")
    if "\0" in value:
        raise WrongFilter(f"What is looked for under {key!r} holds a zero byte.")
    allowed = CHOICES.get(key)
    if value and allowed and value not in allowed:
        raise WrongFilter(f"{key}={value} means nothing here: {key} is {' or '.join(allowed)}.")
    if value and key == "decided":
        day_range(value)
    return value
