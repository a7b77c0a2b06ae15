"""Threads of comments on lines: written, answered, resolved, deleted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from curation.decisions.notices import notify
from curation.errors import CurationError
from curation.models import Kernel, LineComment, NoticeKind, Pair
from curation.people import GRANTED
from curation.search.matching import about

Item = Kernel | Pair
LONGEST, CODE = 10_000, 300
MENTION = re.compile(r"(?<![\w@])@([\w.+-]{1,150})")
MENTIONED_MOST = 20
# Maximum number of earlier versions of an item whose comments are shown.
EARLIER = 10


@dataclass(frozen=True, slots=True)
class Thread:
    first: LineComment
    replies: tuple[LineComment, ...]
    earlier: bool
    """True if the thread is about an earlier version of the item."""

    @property
    def resolved(self) -> bool:
        return self.first.resolved_at is not None


def comment(
    *, item: Item, file: str, line: int, text: str, author: User, parent: LineComment | None = None
) -> LineComment:
    """Store a comment on a line, or a reply to `parent`. Notify the people that it concerns."""
    text = text.strip()
    if not text:
        raise CurationError("Write the comment first.")
    if len(text) > LONGEST:
        raise CurationError(f"Keep the comment below {LONGEST:,} characters.")
    if parent is not None:
        parent = parent.parent or parent
        file, line = parent.file, parent.line
    if file not in item.SOURCES:
        raise CurationError(f"{item} has no text {file}.")
    lines = getattr(item, file).splitlines()
    if not 1 <= line <= len(lines):
        raise CurationError(f"{file} has the lines 1 to {len(lines):,}.")
    with transaction.atomic():
        made = LineComment.objects.create(
            **{about(type(item)): item}, content_hash=item.content_hash, file=file, line=line,
            code=lines[line - 1].strip()[:CODE], author=author, text=text, parent=parent,
        )  # fmt: skip
        _tell(made, item)
    return made


def _tell(made: LineComment, item: Item) -> None:
    """Notify the mentioned people, and the other authors of the thread."""
    url = f"{item.get_absolute_url()}?tab=discussion#thread-{made.parent_id or made.pk}"
    short = made.text if len(made.text) <= 200 else f"{made.text[:200]}…"
    named = mentioned(made.text).exclude(pk=made.author_id)
    for user in named:
        notify(
            user, NoticeKind.MENTION, f"{made.author} mentions you on {item}: {short}", url,
            event=f"comment-{made.pk}",
        )  # fmt: skip
    if made.parent is None:
        return
    thread = LineComment.objects.filter(Q(pk=made.parent_id) | Q(parent=made.parent_id))
    others = User.objects.filter(pk__in=thread.values("author"), is_active=True)
    for user in others.exclude(pk__in=[made.author_id, *(user.pk for user in named)]):
        notify(
            user, NoticeKind.REPLY, f"{made.author} answers on {item}: {short}", url,
            event=f"comment-{made.pk}",
        )  # fmt: skip


def mentioned(text: str) -> Any:
    """Return the reviewers whose names follow an @ in the text."""
    names = list(dict.fromkeys(MENTION.findall(text)))[:MENTIONED_MOST]
    # A name at the end of a sentence is matched with the dot, so also try it without.
    names += [name.rstrip(".") for name in names]
    return User.objects.filter(
        username__in=names, is_active=True, groups__name__in=GRANTED
    ).distinct()


def resolve(*, thread: LineComment, resolved: bool, user: User) -> None:
    """Mark a thread as resolved, or open it again. Every reviewer may do this."""
    LineComment.objects.filter(pk=thread.parent_id or thread.pk).update(
        resolved_at=timezone.now() if resolved else None, resolved_by=user if resolved else None
    )


def delete(*, made: LineComment, user: User) -> None:
    """Delete the text of the user's comment. The row stays as the parent of its replies."""
    if made.author_id != user.pk:
        raise CurationError("Only its author can delete a comment.")
    LineComment.objects.filter(pk=made.pk, deleted_at=None).update(
        text="", deleted_at=timezone.now()
    )


def threads(item: Item) -> list[Thread]:
    """Return the threads of the item by file and line, then the threads of earlier versions."""
    versions = [item.pk, *_earlier(item)]
    column = about(type(item))
    rows = LineComment.objects.filter(**{f"{column}__in": versions})
    by_thread: dict[int, list[LineComment]] = {}
    for row in rows.select_related("author", "resolved_by").order_by("pk"):
        by_thread.setdefault(row.parent_id or row.pk, []).append(row)
    made = [
        Thread(first, tuple(replies), getattr(first, f"{column}_id") != item.pk)
        for first, *replies in by_thread.values()
        if not _is_gone([first, *replies])
    ]
    return sorted(made, key=lambda one: (one.earlier, one.first.file, one.first.line, one.first.pk))


def _is_gone(comments: Sequence[LineComment]) -> bool:
    return all(one.deleted_at for one in comments)


def _earlier(item: Item) -> list[int]:
    keys: list[int] = []
    key = item.previous_id
    while key and key not in keys and len(keys) < EARLIER:
        keys.append(key)
        key = type(item)._default_manager.filter(pk=key).values_list("previous", flat=True).first()
    return keys
