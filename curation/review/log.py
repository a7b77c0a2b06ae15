"""One log of everything that people and policies did, newest first: decisions, corrections, acts.

Three tables hold it; each is append-only or written by Django's admin alone.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet

from curation.models import Correction, Decision

KINDS = ("decision", "correction", "administration")


@dataclass(frozen=True, slots=True)
class Entry:
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
class Asked:
    """What of the log is wanted. `before`: nothing at or after this moment."""

    kind: str = ""
    who: str = ""
    before: datetime | None = None


def entries(asked: Asked, most: int | None = None) -> Iterator[Entry]:
    sources = {"decision": _decisions, "correction": _corrections, "administration": _acts}
    chosen = [sources[asked.kind]] if asked.kind in sources else sources.values()
    streams = [source(asked, most) for source in chosen]
    return islice(merge(*streams, key=lambda entry: entry.at, reverse=True), most)


def _narrowed(rows: QuerySet[Any], asked: Asked, moment: str, most: int | None) -> Iterator[Any]:
    if asked.who:
        rows = rows.filter(user__username=asked.who)
    if asked.before:
        rows = rows.filter(**{f"{moment}__lt": asked.before})
    rows = rows.order_by(f"-{moment}", "-pk")
    return iter(rows[:most]) if most else rows.iterator(chunk_size=500)


def _texts() -> list[str]:
    return [
        *(
            f"kernel__{name}"
            for name in ("function_source", "standalone_source", "launcher_source")
        ),
        *(f"pair__{name}" for name in ("python_code", "triton_code", "test_code")),
    ]


def _decisions(asked: Asked, most: int | None) -> Iterator[Entry]:
    rows = Decision.objects.select_related("kernel", "pair", "user").defer(*_texts())
    for row in _narrowed(rows, asked, "created_at", most):
        said = "; ".join([*map(str, row.reasons), *([row.comment] if row.comment else [])])
        how = "undone: " if row.undoes_id else "in bulk: " if row.bulk_id else ""
        yield Entry(
            row.created_at,
            "decision",
            str(row.user or row.rules),
            f"{how}{row.previous_status} to {row.status}",
            str(row.item),
            row.item.get_absolute_url(),
            said,
        )


def _corrections(asked: Asked, most: int | None) -> Iterator[Entry]:
    rows = Correction.objects.select_related("kernel", "pair", "user").defer(*_texts())
    for row in _narrowed(rows, asked, "created_at", most):
        changed = [
            f"{name.replace('_', ' ')} from {row.before.get(name) or 'nothing'} "
            f"to {value or 'nothing'}"
            for name, value in row.after.items()
            if value != row.before.get(name)
        ]
        yield Entry(
            row.created_at,
            "correction",
            str(row.user),
            "corrected",
            str(row.item),
            row.item.get_absolute_url(),
            "; ".join(changed),
        )


def _acts(asked: Asked, most: int | None) -> Iterator[Entry]:
    rows = LogEntry.objects.select_related("user", "content_type")
    for row in _narrowed(rows, asked, "action_time", most):
        yield Entry(
            row.action_time,
            "administration",
            str(row.user),
            row.get_action_flag_display().lower(),
            f"{row.content_type.name if row.content_type else ''} {row.object_repr}".strip(),
            "",
            row.get_change_message(),
        )
