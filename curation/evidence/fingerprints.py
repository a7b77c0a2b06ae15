"""Creation of missing fingerprints, for items of any source."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from curation.evidence.progress import NO_PROGRESS, JobProgress
from curation.evidence.subjects import (
    EVERYTHING,
    KERNEL,
    ItemScope,
    Subject,
    identity_texts,
)
from curation.models import Band, CopyFlag, DuplicateLink, Fingerprint, Status
from curation.similarity import fingerprint, minhash, operations, syntax
from curation.similarity.duplicates import FLOOR_WORDS

BATCH = 250
# Key of PostgreSQL's advisory lock on placements. No other lock of the database may have this key.
PLACING = 0x7477_696E_73
# Raise the last number if one of these changes: the choice of an item's text, the reading of its
# functions, the rules for representatives. All items are then placed again.
SCHEME = f"{minhash.SCHEME}/syntax{syntax.VERSION}/{operations.VERSION}.3"


def make_missing(scope: ItemScope = EVERYTHING, progress: JobProgress = NO_PROGRESS) -> int:
    """Fingerprint items without a current fingerprint, and return their number.

    If a call is killed, the next call continues.
    """
    count = 0
    for subject in scope.subjects:
        keys = list(missing(subject, scope).order_by("pk").values_list("pk", flat=True))
        for batch in progress.batches("taking fingerprints", keys, BATCH):
            make(subject, batch, progress)
        count += len(keys)
    return count


def missing(subject: Subject, scope: ItemScope = EVERYTHING) -> QuerySet[Any]:
    """Return live items whose current content has no fingerprint by the current scheme."""
    current = Fingerprint.objects.filter(
        scheme=SCHEME,
        content_hash=OuterRef("content_hash"),
        **{subject.name: OuterRef("pk")},
    )
    return scope.rows(subject).exclude(status=Status.RETIRED).filter(~Exists(current))


def make(subject: Subject, keys: Sequence[int], progress: JobProgress = NO_PROGRESS) -> None:
    """Write the fingerprints and bands of these items, in one transaction."""
    rows = _texts(subject, list(keys))
    known = len(subject.identity)
    fingerprints = fingerprint.fingerprints(
        identity_texts([texts[:known] for _, _, _, *texts in rows])
    )
    if subject.python_side:
        fingerprints = [
            fingerprint.with_python_side(each, *texts[known:])
            for each, (_, _, _, *texts) in zip(fingerprints, rows, strict=True)
        ]
    prints = {pk: each for (pk, *_), each in zip(rows, fingerprints, strict=True)}
    with transaction.atomic():
        progress.renew()
        _forget(subject, [pk for pk, _, outdated, *_ in rows if outdated])
        # Another worker may write the same fingerprints now. A common order avoids deadlocks.
        Fingerprint.objects.bulk_create(
            [_row(subject, pk, content, prints[pk]) for pk, content, *_ in rows],
            ignore_conflicts=True,
        )
        _keep_bands(subject, prints)


def _keep_bands(subject: Subject, prints: Mapping[int, fingerprint.Fingerprint]) -> None:
    keys = Fingerprint.objects.filter(**subject.about(prints)).values_list(subject.column, "pk")
    bands = [
        Band(fingerprint_id=pk, number=number, value=value)
        for key, pk in keys
        if prints[key].words >= FLOOR_WORDS
        for number, value in enumerate(prints[key].bands)
    ]
    Band.objects.bulk_create(bands, ignore_conflicts=True)


def take_placement_lock() -> None:
    """Wait for the lock of all placements, and hold it until the transaction ends.

    Two workers that place items concurrently would not see each other's rows. SQLite needs no such
    lock, because its transactions are immediate: they take the write lock when they begin.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [PLACING])


def _row(
    subject: Subject, pk: int, content_hash: str, fingerprint: fingerprint.Fingerprint
) -> Fingerprint:
    return Fingerprint(
        **{subject.column: pk},
        scheme=SCHEME,
        content_hash=content_hash,
        syntax_hash=fingerprint.syntax_hash,
        token_count=fingerprint.words,
        signature=fingerprint.signature,
        operation_hash=fingerprint.operation_hash,
        chain_hash=fingerprint.chain_hash,
        structure=fingerprint.structure,
    )


def _forget(subject: Subject, outdated: Sequence[int]) -> None:
    """Delete outdated fingerprints of items, with the near-duplicate links and copy flags."""
    if not outdated:
        return
    take_placement_lock()
    Fingerprint.objects.filter(**subject.about(outdated)).delete()
    DuplicateLink.objects.filter(**subject.about(outdated)).delete()
    if subject is KERNEL:
        CopyFlag.objects.filter(Q(kernel__among=outdated) | Q(blocked__among=outdated)).delete()


def _texts(subject: Subject, keys: list[int]) -> QuerySet[Any, Any]:
    own = Fingerprint.objects.filter(**{subject.name: OuterRef("pk")})
    outdated = Exists(own.exclude(scheme=SCHEME, content_hash=OuterRef("content_hash")))
    rows: QuerySet[Any, Any] = subject.rows().annotate(outdated=outdated)
    return (
        rows.filter(pk__among=keys)
        .order_by("pk")
        .values_list("pk", "content_hash", "outdated", *subject.identity, *subject.python_side)
    )
