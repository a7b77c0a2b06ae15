"""Gives each item that has none a fingerprint, wherever the item came from."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from curation.compiled_queries import compiled_query
from curation.evidence.known_shingles import keep_shingles
from curation.evidence.subjects import (
    EVERYTHING,
    KERNEL,
    Scope,
    Subject,
    chunks,
    identity_fingerprints,
)
from curation.evidence.turn import one_at_a_time
from curation.evidence.watch import NOBODY, Watch
from curation.models import CopyFlag, DuplicateLink, Fingerprint, Status
from curation.similarity import fingerprint, minhash, operations, syntax
from curation.similarity.duplicates import FLOOR_WORDS

BATCH = 250
BANDS_A_STATEMENT = 2000
# Raise the last number when another text represents an item, its functions are read otherwise, or
# another rule says what may represent it: all items are then placed anew.
SCHEME = f"{minhash.SCHEME}/syntax{syntax.VERSION}/{operations.VERSION}.3"


def make_missing(scope: Scope = EVERYTHING, watch: Watch = NOBODY) -> int:
    """Fingerprint what has no current one, and say how many items that were.

    A run that is killed leaves the rest to whoever comes next.
    """
    made = 0
    for subject in scope.subjects:
        keys = list(missing(subject, scope).order_by("pk").values_list("pk", flat=True))
        for batch in watch.batches("fingerprints", keys, BATCH):
            make(subject, batch, watch)
        made += len(keys)
    return made


def missing(subject: Subject, scope: Scope = EVERYTHING) -> QuerySet[Any]:
    """Items that take part and have no fingerprint of their content by the present scheme."""
    current = Fingerprint.objects.filter(
        scheme=SCHEME,
        content_hash=OuterRef("content_hash"),
        **{subject.name: OuterRef("pk")},
    )
    return scope.rows(subject).exclude(status=Status.RETIRED).filter(~Exists(current))


def make(subject: Subject, keys: Sequence[int], watch: Watch = NOBODY) -> None:
    """The fingerprints and bands of these items, in one transaction."""
    rows = _texts(subject, list(keys))
    known = len(subject.identity)
    made = identity_fingerprints([texts[:known] for _, _, _, *texts in rows])
    if subject.python_side:
        made = [
            fingerprint.with_python_side(one, *texts[known:])
            for one, (_, _, _, *texts) in zip(made, rows, strict=True)
        ]
    prints = {pk: one for (pk, *_), one in zip(rows, made, strict=True)}
    keep_shingles(subject, {row[1]: one.shingles for row, one in zip(rows, made, strict=True)})
    with transaction.atomic():
        watch.renew()
        _forget(subject, [pk for pk, _, outdated, *_ in rows if outdated])
        # Another worker may write the same fingerprints at this moment; in one order everywhere,
        # neither can lock the other out.
        Fingerprint.objects.bulk_create(
            [_row(subject, pk, content, prints[pk]) for pk, content, *_ in rows],
            ignore_conflicts=True,
        )
        _keep_bands(subject, prints)


def _keep_bands(subject: Subject, prints: Mapping[int, fingerprint.Fingerprint]) -> None:
    """Twenty-five for each item: as objects they would cost more than their indexes do."""
    rows = (
        f"({key}, {number}, {value})"
        for key, one in prints.items()
        if one.words >= FLOOR_WORDS
        for number, value in enumerate(one.bands)
    )
    with connection.cursor() as cursor:
        for some in chunks(rows, BANDS_A_STATEMENT):
            cursor.execute(
                f"WITH made (item, number, value) AS (VALUES {', '.join(some)}) "  # noqa: S608
                "INSERT INTO curation_band (fingerprint_id, number, value) "
                "SELECT known.id, made.number, made.value FROM made "
                f"JOIN curation_fingerprint known ON known.{subject.column} = made.item "
                "WHERE true ON CONFLICT DO NOTHING"
            )


def _row(
    subject: Subject, pk: int, content_hash: str, made: fingerprint.Fingerprint
) -> Fingerprint:
    return Fingerprint(
        **{subject.column: pk},
        scheme=SCHEME,
        content_hash=content_hash,
        syntax_hash=made.syntax_hash,
        token_count=made.words,
        signature=made.signature,
        operation_hash=made.operation_hash,
        chain_hash=made.chain_hash,
        structure=made.structure,
    )


def _forget(subject: Subject, outdated: Sequence[int]) -> None:
    """What another scheme or an earlier text said goes, and the item's place with it."""
    if not outdated:
        return
    one_at_a_time()
    Fingerprint.objects.filter(**subject.about(outdated)).delete()
    DuplicateLink.objects.filter(**subject.about(outdated)).delete()
    if subject is KERNEL:
        CopyFlag.objects.filter(Q(kernel__among=outdated) | Q(blocked__among=outdated)).delete()


@compiled_query
def _texts(subject: Subject, /, keys: list[int]) -> QuerySet[Any, Any]:
    own = Fingerprint.objects.filter(**{subject.name: OuterRef("pk")})
    outdated = Exists(own.exclude(scheme=SCHEME, content_hash=OuterRef("content_hash")))
    rows: QuerySet[Any, Any] = subject.rows().annotate(outdated=outdated)
    return (
        rows.filter(pk__among=keys)
        .order_by("pk")
        .values_list("pk", "content_hash", "outdated", *subject.identity, *subject.python_side)
    )
