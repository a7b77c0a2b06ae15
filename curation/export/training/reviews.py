"""Line comments and decisions on the exported items, as JSON Lines in the folder `reviews/`.

Without `review_names`, accounts are shown as `reviewer-` and a number, also within texts. The
number of an account never changes, so that exports of different days can be joined.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypedDict, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from curation.export.folder import OutputFiles
from curation.export.options import ExportOptions
from curation.export.records import Record
from curation.export.splits import SPLITS
from curation.export.statistics import KINDS, ExportPlan
from curation.export.why import ReviewerNames
from curation.models import Actor, Decision, LineComment

FOLDER = "reviews"


class ReviewRecord(TypedDict):
    """A comment or a decision. Both have all columns, so that loaders infer the same schema."""

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


def write_reviews(files: OutputFiles, plan: ExportPlan, options: ExportOptions) -> None:
    """Write the comments and decisions of the planned records."""
    names = None if options.review_names else ReviewerNames(_number)
    for kind in KINDS:
        rows = list(_rows(kind, {record.pk: record for record in plan.records[kind]}, names))
        files.write_records(f"{FOLDER}/{kind}s.jsonl", rows)


def _number(pk: int) -> str:
    return f"reviewer-{pk}"


def _rows(
    kind: str, records: Mapping[int, Record], names: ReviewerNames | None
) -> Iterator[ReviewRecord]:
    """Yield rows in the order of the records: decisions, then comments by file and line."""
    lines: dict[int, list[ReviewRecord]] = defaultdict(list)
    for decision in _decisions(kind, records):
        record = records[getattr(decision, f"{kind}_id")]
        if decision.user is not None and decision.content_hash == record.content_hash:
            row = _review(
                record, decision, decision.user, decision.comment, names, type="decision",
                status=decision.status, reasons=[str(reason) for reason in decision.reasons],
            )  # fmt: skip
            lines[record.pk].append(row)
    for comment in _comments(kind, records):
        record = records[getattr(comment, f"{kind}_id")]
        if comment.content_hash == record.content_hash:
            lines[record.pk].append(_comment(record, comment, names))
    for pk in records:
        yield from lines.get(pk, ())


def _decisions(kind: str, pks: Collection[int]) -> QuerySet[Decision]:
    rows = Decision.objects.filter(**{f"{kind}__among": list(pks)}, actor=Actor.PERSON)
    return rows.filter(undoes=None, undone_by=None).select_related("user").order_by("pk")


def _comments(kind: str, pks: Collection[int]) -> QuerySet[LineComment]:
    rows = LineComment.objects.filter(**{f"{kind}__among": list(pks)}, deleted_at=None)
    thread = Coalesce("parent", "pk")
    return rows.select_related("parent", "author").order_by("file", "line", thread, "pk")


def _review(
    record: Record, row: Decision | LineComment, author: User, text: str,
    names: ReviewerNames | None, **columns: Any,
) -> ReviewRecord:  # fmt: skip
    """Return a row with all columns. Those that are not given are null."""
    columns = {
        **dict.fromkeys(ReviewRecord.__annotations__),
        "record": record.id,
        "split": SPLITS[record.split].value,
        "reasons": [],
        "text": names.replaced(text) if names else text,
        "reviewer": _number(author.pk) if names else author.get_username(),
        "at": row.created_at.isoformat(timespec="seconds"),
        **columns,
    }
    return cast(ReviewRecord, columns)


def _comment(record: Record, row: LineComment, names: ReviewerNames | None) -> ReviewRecord:
    thread = row.parent or row
    return _review(
        record, row, row.author, row.text, names, type="comment", file=f"{thread.file}.py",
        line=thread.line, code=thread.code, thread=thread.pk,
        resolved=thread.resolved_at is not None,
    )  # fmt: skip
