"""Gives each item that has none a fingerprint, wherever the item came from."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from curation.evidence.known_shingles import keep_shingles
from curation.evidence.subjects import EVERYTHING, KERNEL, Scope, Subject, identity_fingerprints
from curation.evidence.turn import one_at_a_time
from curation.evidence.watch import NOBODY, Watch
from curation.models import Band, CopyFlag, DuplicateLink, Fingerprint, Status
from curation.prepared import prepared
from curation.similarity import fingerprint, minhash, syntax
from curation.similarity.duplicates import FLOOR_WORDS

BATCH = 250
# The last number is for the choice of the text: raise it when another one speaks for an item.
SCHEME = f"{minhash.SCHEME}/syntax{syntax.VERSION}/1"


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
    made = identity_fingerprints([texts for _, _, *texts in rows])
    prints = {pk: one for (pk, _, *_), one in zip(rows, made, strict=True)}
    keep_shingles(subject, {row[1]: one.shingles for row, one in zip(rows, made, strict=True)})
    with transaction.atomic():
        watch.renew()
        _forget_outdated(subject, {pk: content for pk, content, *_ in rows})
        # Another worker may write the same fingerprints at this moment; in one order everywhere,
        # neither can lock the other out.
        Fingerprint.objects.bulk_create(
            [_row(subject, pk, content, prints[pk]) for pk, content, *_ in rows],
            ignore_conflicts=True,
        )
        Band.objects.bulk_create(
            [
                Band(fingerprint_id=pk, number=number, value=value)
                for pk, item in _stored(subject, list(keys))
                if prints[item].words >= FLOOR_WORDS
                for number, value in enumerate(prints[item].bands)
            ],
            ignore_conflicts=True,
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
    )


def _forget_outdated(subject: Subject, contents: Mapping[int, str]) -> None:
    """What another scheme said goes, and the item's place with it."""
    outdated = [
        key
        for key, scheme, content in _known(subject, list(contents))
        if (scheme, content) != (SCHEME, contents[key])
    ]
    if not outdated:
        return
    one_at_a_time()
    Fingerprint.objects.filter(**subject.about(outdated)).delete()
    DuplicateLink.objects.filter(**subject.about(outdated)).delete()
    if subject is KERNEL:
        CopyFlag.objects.filter(Q(kernel__among=outdated) | Q(blocked__among=outdated)).delete()


@prepared
def _texts(subject: Subject, /, keys: list[int]) -> QuerySet[Any, Any]:
    rows = subject.rows().filter(pk__among=keys).order_by("pk")
    return rows.values_list("pk", "content_hash", *subject.identity)


@prepared
def _known(subject: Subject, /, keys: list[int]) -> QuerySet[Any, Any]:
    rows = Fingerprint.objects.filter(**{f"{subject.name}__among": keys})
    return rows.values_list(subject.column, "scheme", "content_hash")


@prepared
def _stored(subject: Subject, /, keys: list[int]) -> QuerySet[Any, Any]:
    rows = Fingerprint.objects.filter(**{f"{subject.name}__among": keys}).order_by("pk")
    return rows.values_list("pk", subject.column)
