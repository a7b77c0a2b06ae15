"""Kernels and pairs as subjects of a comparison, with their rows and compared texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

from curation.models import Kernel, Pair, Provenance, Repository
from curation.similarity.duplicates import FLOOR_WORDS
from curation.similarity.shingles import shingles_and_counts

Row = TypeVar("Row")

CHUNK = 500
"""Maximum number of items per statement, because databases limit a statement's parameters."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One of the two kinds of items."""

    name: str
    """Name of the column by which other rows refer to such an item."""
    model: type[Kernel] | type[Pair]
    identity: tuple[str, ...]
    """Columns of the text that identifies near-duplicates, and of a longer text for short ones."""
    compared: tuple[str, ...]
    """The texts that are compared with benchmarks."""
    python_side: tuple[str, ...] = ()
    """The columns of the Python function and of the function's name."""

    @property
    def column(self) -> str:
        return f"{self.name}_id"

    def rows(self) -> QuerySet[Any]:
        return self.model._default_manager.order_by()

    def mark_uncounted(self, keys: Iterable[int]) -> None:
        """Mark these items, so that a scheduled task counts their open claims again.

        To prevent deadlocks, every writer locks items in the order of their keys.
        """
        with transaction.atomic(savepoint=False):
            self.locked(sorted(keys)).update(open_claims=None)

    def locked(self, keys: Sequence[int]) -> QuerySet[Any]:
        """Lock these items in the order of their keys, until the transaction ends."""
        items = self.rows().filter(pk__among=keys)
        list(items.order_by("pk").select_for_update(no_key=True).values_list("pk"))
        return items

    def about(self, keys: Iterable[int]) -> dict[str, list[int]]:
        """Return the condition that selects the rows about these items."""
        return {f"{self.name}__among": list(keys)}


KERNEL = Subject(
    name="kernel",
    model=Kernel,
    identity=("function_source", "standalone_source"),
    compared=("function_source", "standalone_source"),
)
PAIR = Subject(
    name="pair",
    model=Pair,
    identity=("triton_code",),
    compared=("python_code", "triton_code"),
    python_side=("python_code", "entry_point"),
)
SUBJECTS = (KERNEL, PAIR)


@dataclass(frozen=True, slots=True)
class ItemScope:
    """The items that a task processes."""

    subjects: tuple[Subject, ...] = SUBJECTS
    repository: Repository | None = None
    """If set, only items that were found in this repository, now or earlier."""

    def rows(self, subject: Subject) -> QuerySet[Any]:
        if self.repository is None:
            return subject.rows()
        seen = Provenance.objects.filter(source_file__repository=self.repository).order_by()
        return subject.rows().filter(pk__in=seen.values("kernel"))


EVERYTHING = ItemScope()
PAIRS = ItemScope((PAIR,))


def seen_in(repository: Repository) -> ItemScope:
    return ItemScope((KERNEL,), repository)


def chunks(rows: Iterable[Row], size: int = CHUNK) -> Iterator[list[Row]]:
    every = list(rows)
    for start in range(0, len(every), size):
        yield every[start : start + size]


def identity_texts(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the text that identifies each item, from the values of its `identity` columns.

    For a kernel, it is the function alone, because different kernels may share their helpers. But a
    function of a few words depends on its helpers, so the complete unit is used for it.
    """
    counted = shingles_and_counts(columns[0] for columns in rows)
    return [
        columns[-1] if words < FLOOR_WORDS else columns[0]
        for columns, (_, words) in zip(rows, counted, strict=True)
    ]
