"""History of all actions of people and policies, newest first.

It merges decisions, second reviews, corrections and admin actions from four tables. Items that wait
for the reader's second review are left out, because that review is blind.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import QuerySet

from curation.decisions import second_reviews as second
from curation.models import Correction, Decision, Kernel, Pair, SecondReview
from curation.web.access import TEXTS

KINDS = ("decision", "second review", "correction", "administration")


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    at: datetime
    kind: str
    who: str
    what: str
    about: str
    url: str
    said: str

    def as_row(self) -> dict[str, Any]:
        return asdict(self) | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Filter of the history. `reader`: the user. `before`: time that all entries precede."""

    reader: User
    kind: str = ""
    who: str = ""
    before: datetime | None = None


def entries(query: LogQuery, most: int | None = None) -> Iterator[HistoryEntry]:
    sources = dict(zip(KINDS, (_decisions, _second_reviews, _corrections, _acts), strict=True))
    chosen = [sources[query.kind]] if query.kind in sources else sources.values()
    streams = [source(query, most) for source in chosen]
    return islice(merge(*streams, key=lambda entry: entry.at, reverse=True), most)


def _narrowed(rows: QuerySet[Any], query: LogQuery, moment: str, most: int | None) -> Iterator[Any]:
    if query.who:
        rows = rows.filter(user__username=query.who)
    if query.before:
        rows = rows.filter(**{f"{moment}__lt": query.before})
    rows = rows.order_by(f"-{moment}", "-pk")
    return iter(rows[:most]) if most else rows.iterator(chunk_size=500)


def _shown(rows: QuerySet[Any], reader: User) -> QuerySet[Any]:
    """Select the `rows` about items that do not wait for a second review by `reader`."""
    for model, name in ((Kernel, "kernel_id"), (Pair, "pair_id")):
        rows = rows.exclude(second.blind(model, reader, name))
    return rows


def _decisions(query: LogQuery, most: int | None) -> Iterator[HistoryEntry]:
    related = ("kernel", "pair", "user", "settles")
    rows = Decision.objects.select_related(*related).defer(*TEXTS)
    for row in _narrowed(_shown(rows, query.reader), query, "created_at", most):
        how = "undone: " if row.undoes_id else "in bulk: " if row.bulk_id else ""
        how = "dispute settled: " if hasattr(row, "settles") else how
        what = f"{how}{row.previous_status} to {row.status}"
        yield _entry(row, row.created_at, "decision", what, _why(row))


def _second_reviews(query: LogQuery, most: int | None) -> Iterator[HistoryEntry]:
    given = SecondReview.objects.filter(given_at__isnull=False)
    rows = given.select_related("kernel", "pair", "user", "first").defer(*TEXTS)
    for row in _narrowed(_shown(rows, query.reader), query, "given_at", most):
        agrees = "agrees with" if row.status == row.first.status else "disagrees with"
        what = f"second review: {row.status}, {agrees} the first"
        yield _entry(row, row.given_at, "second review", what, _why(row))


def _why(row: Decision | SecondReview) -> str:
    return "; ".join([*map(str, row.reasons), *([row.comment] if row.comment else [])])


def _corrections(query: LogQuery, most: int | None) -> Iterator[HistoryEntry]:
    rows = Correction.objects.select_related("kernel", "pair", "user").defer(*TEXTS)
    for row in _narrowed(_shown(rows, query.reader), query, "created_at", most):
        changed = "; ".join(
            f"{name.replace('_', ' ')} from {row.before.get(name) or 'nothing'} "
            f"to {value or 'nothing'}"
            for name, value in row.after.items()
            if value != row.before.get(name)
        )
        yield _entry(row, row.created_at, "correction", "corrected", changed)


def _entry(row: Any, at: datetime, kind: str, what: str, said: str) -> HistoryEntry:
    """Return an entry about the item of a row."""
    who = str(row.user or row.rules)
    return HistoryEntry(at, kind, who, what, str(row.item), row.item.get_absolute_url(), said)


def _acts(query: LogQuery, most: int | None) -> Iterator[HistoryEntry]:
    rows = LogEntry.objects.select_related("user", "content_type")
    for row in _narrowed(rows, query, "action_time", most):
        yield HistoryEntry(
            row.action_time,
            "administration",
            str(row.user),
            row.get_action_flag_display().lower(),
            f"{row.content_type.name if row.content_type else ''} {row.object_repr}".strip(),
            "",
            row.get_change_message(),
        )
