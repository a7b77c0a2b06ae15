"""Unfinished pairs, as ingests derive them.

A draft that a person has edited is never overwritten. Every change is a compare-and-set on the
draft's version.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import F
from django.utils import timezone

from curation.models import Draft, DraftState, Hardware, Pair, PairOrigin, Repository
from curation.pairs.draft import PairDraft, Source

GONE = "gone"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An operation for which no complete pair was derived."""

    path: str
    operation: str
    reason: str
    missing: Sequence[str]
    known: PairDraft
    """The incomplete pair. Its texts may be empty."""


@dataclass(frozen=True, slots=True)
class DraftCounts:
    added: int = 0
    changed: int = 0
    left: int = 0
    """Number of drafts that were not changed, because people have edited or finished them."""


def keep(
    repository: Repository, unfinished_pairs: Iterable[Unfinished], whole: Iterable[PairDraft]
) -> DraftCounts:
    """Replace the drafts of a repository by those of the current ingest.

    A draft is marked as finished if its operation became a complete pair, and as dismissed if its
    operation no longer exists.
    """
    by_operation: dict[tuple[str, str], Unfinished] = {}
    for unfinished in unfinished_pairs:
        # Two kernels of a file may have the same name, in branches of a condition.
        by_operation.setdefault((unfinished.path[:1000], unfinished.operation[:200]), unfinished)
    rows = {(row.path, row.operation): row for row in repository.drafts.all()}
    new = [
        Draft(repository=repository, path=path, operation=operation, **_values(unfinished))
        for (path, operation), unfinished in by_operation.items()
        if (path, operation) not in rows
    ]
    Draft.objects.bulk_create(new, batch_size=100, ignore_conflicts=True)
    changed = kept_by_people = 0
    for key, unfinished in by_operation.items():
        row = rows.get(key)
        if row is None:
            continue
        if row.edited_by_id is not None or row.state == DraftState.FINISHED:
            kept_by_people += 1
        else:
            changed += _write(row, state=DraftState.OPEN, pair=None, **_values(unfinished))
    pairs = {draft.split_group: draft for draft in whole}
    for key, row in rows.items():
        if (
            key not in by_operation
            and row.edited_by_id is None
            and row.state != DraftState.FINISHED
        ):
            _close(row, pairs.get(row.split_group))
    return DraftCounts(len(new), changed, kept_by_people)


def as_pair(draft: Draft) -> PairDraft:
    known = {field.name for field in fields(Source)}
    return PairDraft(
        entry_point=draft.entry_point,
        python_code=draft.python_code,
        triton_code=draft.triton_code,
        test_code=draft.test_code,
        origin=PairOrigin.REAL_WORLD,
        operation_type=draft.operation_type,
        difficulty=draft.difficulty,
        source=Source(**{k: v for k, v in draft.provenance.items() if k in known}),
        slug=draft.slug,
        tags=tuple(draft.tags),
        differentiable=draft.differentiable,
        split_group=draft.split_group,
        kernel=draft.kernel_id,
        hardware=draft.kernel.hardware if draft.kernel else Hardware.CUDA,
    )


def move(draft: Draft, **values: Any) -> bool:
    """Write values to a draft. Return False if its version has changed or if it is finished."""
    rows = Draft.objects.filter(pk=draft.pk, version=draft.version)
    rows = rows.exclude(state=DraftState.FINISHED)
    return bool(rows.update(version=F("version") + 1, changed_at=timezone.now(), **values))


def _values(unfinished: Unfinished) -> dict[str, Any]:
    known = unfinished.known
    return {
        "kernel_id": known.kernel,
        "reason": unfinished.reason,
        "missing": list(unfinished.missing),
        "python_code": known.python_code,
        "triton_code": known.triton_code,
        "test_code": known.test_code,
        "entry_point": known.entry_point[:200],
        "slug": known.readable,
        "operation_type": known.operation_type,
        "difficulty": known.difficulty,
        "differentiable": known.differentiable,
        "tags": list(known.tags),
        "split_group": known.split_group,
        "provenance": known.source.as_metadata(),
    }


def _close(row: Draft, whole: PairDraft | None) -> None:
    pair = whole and Pair.objects.filter(content_hash=whole.content_hash).first()
    if pair:
        _write(row, state=DraftState.FINISHED, pair=pair)
    elif whole is None:
        said = ["The operation is no longer in the repository, or nothing launches it."]
        _write(row, state=DraftState.SET_ASIDE, reason=GONE, missing=said)


def _write(row: Draft, **values: Any) -> bool:
    """Write values if any differs, because a write makes pages stale. Return whether it wrote."""
    if all(getattr(row, name) == value for name, value in values.items()):
        return False
    return move(row, **values)
