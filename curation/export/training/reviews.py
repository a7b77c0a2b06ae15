"""Line comments and decisions on the exported items, as lines of JSON in `reviews/`.

Without `review_names`, an account is `reviewer-` and its number, in texts too. The number never
changes, so that exports of different days can be joined.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from django.db.models import Model, QuerySet
from django.db.models.functions import Coalesce

from curation.export.folder import LineFile, encode
from curation.export.options import ExportOptions
from curation.export.records import record_id
from curation.export.reviewer_names import ReviewerNames
from curation.export.splits import SPLITS
from curation.export.statistics import KINDS, ExportPlan
from curation.models import Actor, Decision, Kernel, LineComment, Pair

FOLDER = "reviews"
BATCH = 1000


class ReviewRecord(TypedDict):
    """A comment or a decision. Both have all columns, so that a reader infers one schema."""

    record: str
    split: str
    type: str
    status: str | None
    reasons: list[str]
    file: str | None
    line: int | None
    code: str | None
    thread: int | None
    resolved: bool | None
    text: str
    reviewer: str
    at: str


def write_reviews(folder: Path, plan: ExportPlan, options: ExportOptions) -> list[LineFile]:
    """Write the comments and decisions of the planned records, and return the files."""
    names = None if options.review_names else ReviewerNames(_number)
    files = []
    for kind in KINDS:
        with LineFile(folder / FOLDER / f"{kind}s.jsonl") as file:
            rows = plan.rows[kind]
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                numbers = zip(batch["pk"].tolist(), batch["split"].tolist(), strict=True)
                splits = {pk: SPLITS[number].value for pk, number in numbers}
                file.write([encode(row) for row in _rows(kind, splits, names)])
        files.append(file)
    return files


def _number(pk: int) -> str:
    return f"reviewer-{pk}"


def _rows(
    kind: str, splits: Mapping[int, str], names: ReviewerNames | None
) -> Iterator[ReviewRecord]:
    """Yield the lines of some records, in their order: decisions, then comments by line.

    splits: the split of each record, by its key.
    """
    pks = list(splits)
    model: type[Model] = Kernel if kind == "kernel" else Pair
    called = "name" if kind == "kernel" else "slug"
    items = model._default_manager.filter(pk__among=pks)
    records = {
        pk: (record_id(kind, name, sha), sha)
        for pk, name, sha in items.values_list("pk", called, "content_hash")
    }
    lines: dict[int, list[ReviewRecord]] = defaultdict(list)
    for row in _decisions(kind, pks):
        pk = getattr(row, f"{kind}_id")
        record, content_hash = records[pk]
        if row.user is not None and row.content_hash == content_hash:
            lines[pk].append(_decision(record, splits[pk], row, names))
    for comment in _comments(kind, pks):
        pk = getattr(comment, f"{kind}_id")
        record, content_hash = records[pk]
        if comment.content_hash == content_hash:
            lines[pk].append(_comment(record, splits[pk], comment, names))
    for pk in pks:
        yield from lines.get(pk, ())


def _decisions(kind: str, pks: Sequence[int]) -> QuerySet[Decision]:
    rows = Decision.objects.filter(**{f"{kind}__among": list(pks)}, actor=Actor.PERSON)
    return rows.filter(undoes=None, undone_by=None).select_related("user").order_by("pk")


def _comments(kind: str, pks: Sequence[int]) -> QuerySet[LineComment]:
    rows = LineComment.objects.filter(**{f"{kind}__among": list(pks)}, deleted_at=None)
    thread = Coalesce("parent", "pk")
    return rows.select_related("parent", "author").order_by("file", "line", thread, "pk")


def _decision(record: str, split: str, row: Decision, names: ReviewerNames | None) -> ReviewRecord:
    assert row.user is not None, "only persons' decisions are selected"  # noqa: S101
    return {
        "record": record,
        "split": split,
        "type": "decision",
        "status": row.status,
        "reasons": [str(reason) for reason in row.reasons],
        "file": None,
        "line": None,
        "code": None,
        "thread": None,
        "resolved": None,
        "text": names.replaced(row.comment) if names else row.comment,
        "reviewer": _number(row.user.pk) if names else row.user.get_username(),
        "at": row.created_at.isoformat(timespec="seconds"),
    }


def _comment(
    record: str, split: str, row: LineComment, names: ReviewerNames | None
) -> ReviewRecord:
    thread = row.parent or row
    return {
        "record": record,
        "split": split,
        "type": "comment",
        "status": None,
        "reasons": [],
        "file": f"{thread.file}.py",
        "line": thread.line,
        "code": thread.code,
        "thread": thread.pk,
        "resolved": thread.resolved_at is not None,
        "text": names.replaced(row.text) if names else row.text,
        "reviewer": _number(row.author.pk) if names else row.author.get_username(),
        "at": row.created_at.isoformat(timespec="seconds"),
    }
