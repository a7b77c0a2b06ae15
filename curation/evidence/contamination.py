"""Comparison of items with the benchmarks: an item that overlaps a problem is never exported.

If a pair and a problem have the same operations but different texts, the pair gets an
OperationOverlap. It may be exported.
"""

from collections.abc import Sequence

from django.db import transaction

from curation.evidence import benchmarks
from curation.evidence.benchmarks import Benchmarks
from curation.evidence.progress import NO_PROGRESS, JobProgress
from curation.evidence.subjects import PAIR, SUBJECTS, Subject
from curation.models import ContaminationMatch, Fingerprint, OperationOverlap

BATCH = 50


def compare(progress: JobProgress = NO_PROGRESS, *, benchmark_is_read: bool = False) -> int:
    """Compare items that were not compared with the current benchmarks. Return their number.

    While a benchmark is being ingested, only items that were never compared are processed. The
    other items are compared once, at the end of that ingest (`benchmark_is_read`).
    """
    benchmarks.register_shipped()
    held = benchmarks.current()
    waits = benchmarks.being_read() and not benchmark_is_read
    compared = 0
    for subject in SUBJECTS:
        keys = _due(subject, None if waits else held.version)
        for batch in progress.batches("comparing with benchmarks", keys, BATCH):
            _compare(subject, batch, held, progress)
        compared += len(keys)
    return compared


def _due(subject: Subject, version: str | None) -> list[int]:
    rows = Fingerprint.objects.exclude(**{subject.column: None})
    stale = rows.not_compared_with(version) if version is not None else rows.never_compared()
    return list(stale.order_by(subject.column).values_list(subject.column, flat=True))


def _compare(
    subject: Subject, keys: Sequence[int], held: Benchmarks, progress: JobProgress
) -> None:
    rows = (
        subject.rows().filter(pk__among=keys).values_list("pk", "content_hash", *subject.compared)
    )
    matches = [
        ContaminationMatch(
            **{subject.column: pk},
            benchmark_id=held.rows[problem.benchmark],
            problem=problem.name[-500:],
            path=problem.path,
            method=match.method,
            similarity=match.similarity,
            constants_differ=match.constants_differ,
            content_hash=content,
        )
        for pk, content, *texts in (
            rows.order_by("pk") if held.version != Fingerprint.NO_BENCHMARKS else ()
        )
        for problem, match in held.matches(texts)
    ]
    about = subject.about(keys)
    with transaction.atomic():
        progress.renew()
        ContaminationMatch.objects.filter(**about).delete()
        ContaminationMatch.objects.bulk_create(matches)
        OperationOverlap.objects.filter(**about).delete()
        OperationOverlap.objects.bulk_create(_overlaps(subject, about, held))
        Fingerprint.objects.filter(**about).update(compared_with=held.version)
        subject.mark_uncounted(keys)


def _overlaps(
    subject: Subject, about: dict[str, list[int]], held: Benchmarks
) -> list[OperationOverlap]:
    """Return an overlap for each problem whose operations a pair's Python code has."""
    if subject is not PAIR:
        return []
    rows = Fingerprint.objects.filter(**about).exclude(chain_hash="").order_by("pk")
    return [
        OperationOverlap(
            pair_id=pk,
            benchmark_id=held.rows[problem.benchmark],
            problem=problem.name[-500:],
            content_hash=content,
        )
        for pk, content, chain in rows.values_list("pair_id", "content_hash", "chain_hash")
        for problem in held.by_chain.get(chain, ())
    ]
