"""Claims of an item, and reasons that reviewers gave: of its approval, and in line comments.

Names of people are replaced.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import Q

from curation.evidence.claim_facts import sheets_by_key
from curation.evidence.claim_types import ClaimState
from curation.evidence.subjects import Subject
from curation.export.gates import DecisionRow, approved_by
from curation.export.reviewer_names import SOMEONE, ReviewerNames
from curation.export.schema import ClaimColumn
from curation.models import Decision, LineComment

SIDES = {"python_code": "Python", "triton_code": "Triton", "test_code": "test"}


def reasons_given(kind: str, items: Mapping[int, str]) -> dict[int, list[str]]:
    """Return the reasons by item.

    kind: kernel or pair.
    items: the content hash of each item; reasons for other content do not count.
    """
    reasons: dict[int, list[str]] = defaultdict(list)
    for pk, texts in (*_of_approvals(kind, items), *_of_comments(kind, items)):
        reasons[pk] += texts
    if not reasons:
        return {}
    names = ReviewerNames(lambda _: SOMEONE)
    return {
        pk: list(dict.fromkeys(filter(None, (_in_one_line(text, names) for text in texts))))
        for pk, texts in reasons.items()
    }


def _in_one_line(text: str, names: ReviewerNames) -> str:
    return " ".join(names.replaced(text).split())


def _of_approvals(kind: str, items: Mapping[int, str]) -> list[tuple[int, list[str]]]:
    """Return the reasons and the comment of each approval."""
    decisions: dict[int, list[DecisionRow]] = defaultdict(list)
    texts: dict[int, list[str]] = {}
    columns = ("pk", "status", "actor", "rules", "undoes_id", "content_hash", "user_id")
    rows = Decision.objects.filter(**{f"{kind}__among": frozenset(items)}).order_by()
    for item, reasons, comment, *values in rows.values_list(
        f"{kind}_id", "reasons", "comment", *columns
    ):
        decision = DecisionRow(*values)
        decisions[item].append(decision)
        texts[decision.pk] = [*map(str, reasons), comment]
    approvals = ((pk, approved_by(rows, items[pk])) for pk, rows in decisions.items())
    return [(pk, texts[approval.pk]) for pk, approval in sorted(approvals) if approval]


def _of_comments(kind: str, items: Mapping[int, str]) -> list[tuple[int, list[str]]]:
    """Return the texts of resolved threads, in order."""
    column = f"{kind}_id"
    about = {f"{kind}__among": frozenset(items)}
    resolved = Q(resolved_at__isnull=False) | Q(parent__resolved_at__isnull=False)
    rows = LineComment.objects.filter(resolved, deleted_at=None, **about)
    ordered = sorted(
        rows.values("pk", "parent_id", column, "content_hash", "file", "line", "text").order_by(),
        key=lambda row: (row[column], row["file"], row["line"], row["parent_id"] or row["pk"],
                         row["pk"]),
    )  # fmt: skip
    return [
        (row[column], [f"{_place(row['file'])}line {row['line']}: {row['text']}"])
        for row in ordered
        if row["content_hash"] == items[row[column]]
    ]


def _place(file: str) -> str:
    return f"{SIDES[file]} side, " if file in SIDES else ""


def claim_columns(subject: Subject, keys: Sequence[int]) -> dict[int, list[ClaimColumn]]:
    """Return the claim sheet of each item, the worst claims first."""
    return {
        key: [
            {"topic": claim.topic, "state": claim.state.value, "text": claim.text}
            for claim in sheet
        ]
        for key, sheet in sheets_by_key(subject, keys).items()
    }


def open_claims(claims: Sequence[ClaimColumn]) -> tuple[str, ...]:
    return tuple(claim["topic"] for claim in claims if claim["state"] != ClaimState.SHOWN)
