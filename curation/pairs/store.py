"""Storage of pairs. Only this module creates pairs from drafts.

A pair is identified by its content, so that a stored draft changes at most a derived description.
Commands may therefore be repeated or killed at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from curation.errors import CurationError
from curation.models import License, LicenseVerdict, Pair
from curation.pairs.draft import PairDraft
from curation.pairs.licenses import license_of
from curation.tokens import ENCODING, count_many

BATCH = 500


@dataclass(frozen=True, slots=True)
class Stored:
    added: int
    known: int


def store_pairs(drafts: Iterable[PairDraft]) -> Stored:
    """Store new pairs as pending. Known pairs change at most in a derived description."""
    added = seen = 0
    waiting = iter(drafts)
    while batch := tuple(islice(waiting, BATCH)):
        fresh = _unknown(batch)
        _describe_known([draft for draft in batch if draft.content_hash not in fresh])
        # Use a common order, so that two writers of the same pairs can't deadlock.
        rows = _rows(sorted(fresh.items()))
        with transaction.atomic():
            before = Pair.objects.filter(content_hash__among=fresh).count()
            Pair.objects.bulk_create(rows, ignore_conflicts=True)
        added += len(rows) - before
        seen += len(batch)
    return Stored(added, seen - added)


def store_versions(drafts: Iterable[PairDraft]) -> Stored:
    """Store drafts, where all pairs of a split group are versions of one pair.

    A new draft becomes the next version of the newest pair in its group.
    """
    added = known = 0
    for draft in drafts:
        if Pair.objects.filter(content_hash=draft.content_hash).exists():
            known += 1
            continue
        newest = newest_of(draft.split_group)
        if newest is None:
            stored = store_pairs([draft])
            added, known = added + stored.added, known + stored.known
        else:
            store_new_version(draft, newest)
            added += 1
    return Stored(added, known)


@transaction.atomic
def store_by(author: User, draft: PairDraft) -> Pair:
    """Store a draft that a person finished as the next version in its split group."""
    known = Pair.objects.filter(content_hash=draft.content_hash).first()
    if known is not None:
        raise CurationError(f"The same pair exists already: {known}.")
    (row,) = _rows([(draft.content_hash, draft)])
    row.previous = newest_of(draft.split_group)
    row.author = author
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise CurationError("Another user has just saved the same pair.") from None
    return row


def newest_of(split_group: str) -> Pair | None:
    return Pair.objects.filter(split_group=split_group).order_by("-pk").first()


@transaction.atomic
def store_new_version(draft: PairDraft, previous: Pair) -> Pair:
    """Store an edited pair as another row that is pending and linked to the previous version."""
    known = Pair.objects.filter(content_hash=draft.content_hash).first()
    if known is not None:
        return known
    (row,) = _rows([(draft.content_hash, draft)])
    row.previous = previous
    # All versions of a pair stay in one split, even if one is renamed.
    row.split_group = previous.split_group or row.split_group
    row.ladder, row.rung = previous.ladder, previous.rung
    row.save()
    return row


def _unknown(drafts: Sequence[PairDraft]) -> dict[str, PairDraft]:
    wanted = {draft.content_hash: draft for draft in drafts}
    known = Pair.objects.filter(content_hash__among=wanted).values_list("content_hash", flat=True)
    return {name: wanted[name] for name in wanted.keys() - set(known)}


def _describe_known(drafts: Sequence[PairDraft]) -> None:
    """Update the descriptions of stored pairs from drafts, except those that a person wrote."""
    written = {draft.content_hash: draft for draft in drafts if draft.description}
    rows = Pair.objects.filter(content_hash__among=written).only("content_hash", "description")
    for row in rows:
        draft = written[row.content_hash]
        if row.description in {"", draft.derived_description} - {draft.description}:
            Pair.objects.filter(pk=row.pk, description=row.description).update(
                description=draft.description
            )


def _rows(drafts: Sequence[tuple[str, PairDraft]]) -> list[Pair]:
    texts = ["\n".join((d.python_code, d.triton_code, d.test_code)) for _, d in drafts]
    licenses = {
        name: license_of(name) for name in {draft.source.license for _, draft in drafts} if name
    }
    return [
        _row(name, draft, tokens, licenses.get(draft.source.license))
        for (name, draft), tokens in zip(drafts, count_many(texts), strict=True)
    ]


def _row(name: str, draft: PairDraft, tokens: int, license: License | None) -> Pair:
    return Pair(
        content_hash=name,
        slug=draft.readable,
        entry_point=draft.entry_point,
        python_code=draft.python_code,
        triton_code=draft.triton_code,
        test_code=draft.test_code,
        origin=draft.origin,
        operation_type=draft.operation_type,
        difficulty=draft.difficulty,
        description=draft.sentence,
        tags=list(draft.tags),
        hardware=draft.hardware,
        min_triton=draft.min_triton,
        differentiable=draft.differentiable,
        recipe=draft.recipe,
        split_group=draft.split_group or f"pair:{draft.origin}:{draft.readable}"[:200],
        ladder=draft.ladder,
        rung=draft.rung,
        metadata={"provenance": draft.source.as_metadata(), "token_encoding": ENCODING},
        tokens=tokens,
        license=license,
        license_verdict=license.verdict if license else LicenseVerdict.UNKNOWN,
        kernel_id=draft.kernel,
    )
