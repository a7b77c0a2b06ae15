"""Clusters of near-duplicates: places new items, and items whose facts have changed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db import transaction

from curation.evidence import item_facts
from curation.evidence.copies import renew_flags
from curation.evidence.fingerprints import take_placement_lock
from curation.evidence.item_facts import ItemFacts
from curation.evidence.neighborhood import Neighborhood
from curation.evidence.progress import NO_PROGRESS, JobProgress
from curation.evidence.subjects import EVERYTHING, KERNEL, SUBJECTS, ItemScope, Subject, chunks
from curation.models import (
    ContaminationMatch,
    Decision,
    DuplicateLink,
    Fingerprint,
    OperationOverlap,
    Status,
)
from curation.similarity.duplicates import place, rank, remove

BATCH = 100
RECENT_DECISIONS = 1000


def place_changed(scope: ItemScope = EVERYTHING, progress: JobProgress = NO_PROGRESS) -> int:
    """Place new items, and items of `scope` with changed facts. Return their number."""
    count = 0
    for subject in scope.subjects:
        known = scope.rows(subject).values_list("pk", flat=True)
        due = _due(subject, [*_never_looked_at(subject), *known])
        for batch in progress.batches("finding near-duplicates", due, BATCH):
            place_items(subject, batch, progress)
        count += len(due)
    return count


def follow_decisions() -> int:
    """Place items again after decisions, because a rejected item must not represent others.

    Scheduled task. It reads only the newest decisions. `place_changed` also finds older changes.
    """
    newest = Decision.objects.order_by("-pk").values_list("kernel_id", "pair_id")
    kernels, pairs = zip(*newest[:RECENT_DECISIONS], strict=True) if newest.exists() else ((), ())
    count = 0
    for subject, keys in zip(SUBJECTS, (kernels, pairs), strict=True):
        due = _due(subject, [key for key in keys if key is not None])
        for batch in chunks(due, BATCH):
            place_items(subject, batch)
        count += len(due)
    return count


@transaction.atomic
def place_items(
    subject: Subject, keys: Collection[int], progress: JobProgress = NO_PROGRESS
) -> None:
    """Place a batch of items in one transaction. Move other items if that is necessary."""
    take_placement_lock()
    progress.renew()
    around = Neighborhood(subject)
    around.load(keys)
    present = item_facts.present(subject, keys)
    changed = {
        key: now for key, now in present.items() if key in around and around[key].item_facts != now
    }
    before = {key: around[key].item_facts for key in changed}
    _take_out([key for key in changed if around[key].item_facts.placed], around)
    ranked = {key: rank(now.facts(around[key].content_hash)) for key, now in changed.items()}
    # Place the best first. So an item's representative is placed before the item.
    for key in sorted(changed, key=ranked.__getitem__):
        now = changed[key]
        if now.placed:
            facts = now.facts(around[key].content_hash)
            around.apply(place(key, facts, around.near, representatives=around.representatives))
        around[key].item_facts = now
    _write_standings(subject, changed)
    _write_links(subject, around)
    _forget_matches(subject, before, changed)
    links = [member.link for member in around.moved() if member.link]
    touched = {*changed, *(member.key for member in around.moved()), *(link.of for link in links)}
    subject.mark_uncounted(touched)
    if subject is KERNEL:
        renew_flags(around, before)


def _take_out(leaving: Sequence[int], around: Neighborhood) -> None:
    """Remove items from clusters: first items that have a representative, then representatives."""
    representatives = [key for key in leaving if around[key].link is None]
    for key in leaving:
        if around[key].link:
            around.withdraw(key)
    placement = remove(representatives, around.near)
    for key in representatives:
        around.withdraw(key)
    around.apply(placement)


def _never_looked_at(subject: Subject) -> Iterable[int]:
    rows = Fingerprint.objects.filter(placed=None).exclude(**{subject.column: None})
    return rows.values_list(subject.column, flat=True)


def _due(subject: Subject, keys: Iterable[int]) -> list[int]:
    """Return the items with facts that have changed since the last placement of the item."""
    due = []
    for chunk in chunks(sorted({*keys})):
        before = item_facts.recorded(subject, chunk)
        present = item_facts.present(subject, before)
        due += [key for key, now in present.items() if before[key] != now]
    return sorted(due)


def _write_standings(subject: Subject, changed: dict[int, ItemFacts]) -> None:
    """Store facts. One statement writes all items with equal facts, such as one repository's."""

    def by_values(key: int) -> tuple[Any, ...]:
        return tuple(getattr(changed[key], column) for column in item_facts.COLUMNS)

    for values, keys in groupby(sorted(changed, key=by_values), by_values):
        rows = Fingerprint.objects.filter(**subject.about(keys))
        rows.update(**dict(zip(item_facts.COLUMNS, values, strict=True)))


def _write_links(subject: Subject, around: Neighborhood) -> None:
    moved = around.moved()
    stored = [member.key for member in moved if member.stored]
    DuplicateLink.objects.filter(**subject.about(stored)).delete()
    DuplicateLink.objects.bulk_create(
        DuplicateLink(
            **{subject.column: member.key, f"of_{subject.column}": member.link.of},
            likeness=member.link.likeness,
            similarity=member.link.similarity,
            content_hash=member.content_hash,
            of_content_hash=around[member.link.of].content_hash,
        )
        for member in moved
        if member.link
    )


def _forget_matches(
    subject: Subject, before: Mapping[int, ItemFacts], changed: Mapping[int, ItemFacts]
) -> None:
    """Delete the matches of retired and reactivated items. Reactivated items are compared again."""
    retired = [
        key for key, now in changed.items() if Status.RETIRED in (now.status, before[key].status)
    ]
    about = subject.about(retired)
    ContaminationMatch.objects.filter(**about).delete()
    OperationOverlap.objects.filter(**about).delete()
    Fingerprint.objects.filter(**about).update(compared_with="")
