"""Rows of repair traces: reads passed pairs, and is the only module that adds traces."""

from collections.abc import Iterator

from django.db.models import F, OuterRef, Subquery

from curation.models import Device, Pair, RepairTrace, Status, ValidationResult, Verdict
from validation.repairs.plant import JudgedFault, StoredTrace
from validation.repairs.source import FaultyText


def passed_pairs(device: Device) -> list[int]:
    """Return the keys of pairs whose newest validation on the device passed, by content hash."""
    newest = ValidationResult.objects.filter(
        run__device=device, pair=OuterRef("pk"), content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    pairs = Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED)).annotate(
        newest=Subquery(newest.values("verdict")[:1])
    )
    passed = pairs.filter(newest=Verdict.PASSED).order_by("content_hash")
    return list(passed.values_list("pk", flat=True))


def stored_traces() -> Iterator[StoredTrace]:
    """Yield the traces of pairs that have not changed since the trace was stored."""
    traces = RepairTrace.objects.filter(content_hash=F("pair__content_hash"))
    columns = ("pair_id", "kind", "faulty_code", "pair__triton_code", "line")
    for pair, kind, *texts in traces.values_list(*columns):
        yield pair, kind, FaultyText(*texts)


def store(attempt: JudgedFault, device: Device) -> bool:
    """Store a rejected mistake. Return whether its text is new."""
    candidate, finding = attempt.candidate, attempt.finding
    if finding is None or not attempt.is_kept:
        return False
    _, is_new = RepairTrace.objects.get_or_create(
        faulty_hash=candidate.faulty_hash,
        defaults={
            "pair": candidate.pair,
            "content_hash": candidate.pair.content_hash,
            "kind": candidate.kind.name,
            "faulty_code": candidate.fault.code,
            "line": candidate.fault.line,
            "device": device,
            "verdict": finding.verdict,
            "message": attempt.message or finding.message,
            "why": candidate.kind.explain(candidate.fault),
        },
    )
    return is_new
