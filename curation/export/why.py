"""Claims of an item, and reviewers' reasons: those of its approval, and comments on its lines.

Names of people are replaced: account names after an @, full names and mail addresses.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from django.contrib.auth.models import User
from django.db.models import Q

from curation.evidence.claim_sheet.claim_facts import sheets_by_key
from curation.evidence.claim_sheet.types import ClaimState
from curation.evidence.subjects import Subject
from curation.export.facts import ExportItem
from curation.export.schema import ClaimColumn
from curation.models import LineComment

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
SOMEONE = "a reviewer"
SIDES = {"python_code": "Python side, ", "triton_code": "Triton side, ", "test_code": "test side, "}


class ReviewerNames:
    """The names of all accounts, read once.

    shown: function that maps an account's primary key to the replacement of its name.
    """

    def __init__(self, shown: Callable[[int], str]) -> None:
        self._shown: dict[str, str] = {}
        columns = ("pk", "username", "first_name", "last_name")
        for pk, account, first, last in User.objects.values_list(*columns):
            self._shown[f"@{account}"] = shown(pk)
            # Full names only, because a first name alone is often a word ("Will", "May").
            if first and last:
                self._shown[f"{first} {last}"] = shown(pk)
        # Match only known accounts, because `@triton.jit` is not an account. Longer names come
        # first, so that the whole name is replaced.
        names = sorted(self._shown, key=lambda name: (-len(name), name))
        choices = "|".join(map(re.escape, names)) or "(?!)"
        self._pattern = re.compile(rf"(?<![\w@])(?:{choices})(?!\w)")

    def replaced(self, text: str) -> str:
        """Return `text` with each name and address replaced."""
        text = ADDRESS.sub(SOMEONE, text)
        return self._pattern.sub(lambda match: self._shown[match[0]], text)


def reasons_given(kind: str, items: Sequence[ExportItem]) -> dict[int, list[str]]:
    """Return the reasons by item. Reasons that were given on earlier content are left out."""
    reasons: dict[int, list[str]] = defaultdict(list)
    for item in items:
        if item.approver:
            reasons[item.pk] += [*map(str, item.approver.reasons), item.approver.comment]
    hashes = {item.pk: item.content_hash for item in items}
    for pk, text in _comments(kind, hashes):
        reasons[pk].append(text)
    if not reasons:
        return {}
    names = ReviewerNames(lambda _: SOMEONE)
    return {
        pk: list(
            dict.fromkeys(filter(None, (" ".join(names.replaced(text).split()) for text in texts)))
        )
        for pk, texts in reasons.items()
    }


def _comments(kind: str, items: Mapping[int, str]) -> list[tuple[int, str]]:
    """Return the comments of resolved threads, in order of item, file, line and thread."""
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
        (row[column], f"{SIDES.get(row['file'], '')}line {row['line']}: {row['text']}")
        for row in ordered
        if row["content_hash"] == items[row[column]]
    ]


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
