"""Finds each item's place among its twins, and follows what its place rests on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db import transaction

from curation.compiled_queries import Update, compiled_update
from curation.evidence import standing
from curation.evidence.copies import renew_flags
from curation.evidence.neighbourhood import Neighbourhood
from curation.evidence.standing import Standing
from curation.evidence.subjects import EVERYTHING, KERNEL, SUBJECTS, Scope, Subject, chunks
from curation.evidence.turn import one_at_a_time
from curation.evidence.watch import NOBODY, Watch
from curation.models import (
    ContaminationMatch,
    Decision,
    DuplicateLink,
    Fingerprint,
    OperationOverlap,
    Status,
)
from curation.similarity.duplicates import by_default, place, remove

BATCH = 100
RECENT_DECISIONS = 1000


def settle(scope: Scope = EVERYTHING, watch: Watch = NOBODY) -> int:
    """Place what is new, and what of `scope` has changed; says how many items that were."""
    settled = 0
    for subject in scope.subjects:
        known = scope.rows(subject).values_list("pk", flat=True)
        due = _due(subject, [*_never_looked_at(subject), *known])
        for batch in watch.batches("duplicates", due, BATCH):
            settle_items(subject, batch, watch)
        settled += len(due)
    return settled


def follow_decisions() -> int:
    """Let the newest decisions show: who was turned down represents nobody any more.

    A scheduler's duty; whatever it misses, `settle` finds.
    """
    newest = Decision.objects.order_by("-pk").values_list("kernel_id", "pair_id")
    kernels, pairs = zip(*newest[:RECENT_DECISIONS], strict=True) if newest.exists() else ((), ())
    settled = 0
    for subject, keys in zip(SUBJECTS, (kernels, pairs), strict=True):
        due = _due(subject, [key for key in keys if key is not None])
        for batch in chunks(due, BATCH):
            settle_items(subject, batch)
        settled += len(due)
    return settled


@transaction.atomic
def settle_items(subject: Subject, keys: Collection[int], watch: Watch = NOBODY) -> None:
    """One batch, in one transaction: who else must move moves with them."""
    one_at_a_time()
    watch.renew()
    around = Neighbourhood(subject)
    around.load(keys)
    present = standing.present(subject, keys)
    changed = {
        key: now for key, now in present.items() if key in around and around[key].standing != now
    }
    before = {key: around[key].standing for key in changed}
    _take_out([key for key in changed if around[key].standing.placed], around)
    ranked = {key: by_default(now.facts(around[key].content_hash)) for key, now in changed.items()}
    # Best first: whoever comes after finds its representative in place.
    for key in sorted(changed, key=ranked.__getitem__):
        now = changed[key]
        if now.placed:
            facts = now.facts(around[key].content_hash)
            around.apply(place(key, facts, around.near, representatives=around.representatives))
        around.stand(key, now)
    _write_standings(subject, changed)
    _write_links(subject, around)
    _forget_matches(subject, before, changed)
    if subject is KERNEL:
        renew_flags(around, before)


def _take_out(leaving: Sequence[int], around: Neighbourhood) -> None:
    """Members first, for nothing hangs on them; then all representatives at once."""
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
    """Those whose place rests on what is no longer so."""
    due = []
    for chunk in chunks(sorted({*keys})):
        before = standing.recorded(subject, chunk)
        present = standing.present(subject, before)
        due += [key for key, now in present.items() if before[key] != now]
    return sorted(due)


def _write_standings(subject: Subject, changed: dict[int, Standing]) -> None:
    """One statement for all that stand alike: a repository's kernels mostly do."""

    def by_values(key: int) -> tuple[Any, ...]:
        return tuple(getattr(changed[key], column) for column in standing.COLUMNS)

    for values, keys in groupby(sorted(changed, key=by_values), by_values):
        _stand(subject, list(keys), *values)


@compiled_update
def _stand(
    subject: Subject,
    /,
    keys: list[int],
    placed: bool | None,
    status: str,
    license_verdict: str,
    license_stated: bool,
    documented: bool,
    stars: int,
    hardware: str,
) -> Update:
    now = (placed, status, license_verdict, license_stated, documented, stars, hardware)
    rows = Fingerprint.objects.filter(**{f"{subject.name}__among": keys})
    return rows, dict(zip(standing.COLUMNS, now, strict=True))


def _write_links(subject: Subject, around: Neighbourhood) -> None:
    moved = around.moved()
    for chunk in chunks(member.key for member in moved if member.stored):
        DuplicateLink.objects.filter(**subject.about(chunk)).delete()
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
    subject: Subject, before: Mapping[int, Standing], changed: Mapping[int, Standing]
) -> None:
    """What is retired overlaps nothing; what comes back is held against the benchmarks anew."""
    retired = [
        key for key, now in changed.items() if Status.RETIRED in (now.status, before[key].status)
    ]
    for chunk in chunks(retired):
        about = subject.about(chunk)
        ContaminationMatch.objects.filter(**about).delete()
        OperationOverlap.objects.filter(**about).delete()
        Fingerprint.objects.filter(**about).update(compared_with="")
