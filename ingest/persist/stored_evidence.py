"""Rows of the evidence that was found in a kernel's text."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from curation.models import Kernel, QualityFinding
from ingest.classify import Classification
from ingest.evidence import Evidence

KIND = ("operation_type", "difficulty", "tags", "kind_evidence", "kind_rules")
FINDING = ("passed", "action", "value", "message", "rules")


def kind_columns(kind: Classification) -> dict[str, Any]:
    return {
        "operation_type": kind.operation_type,
        "difficulty": kind.difficulty,
        "tags": list(kind.tags),
        "kind_evidence": [asdict(seen) for seen in kind.evidence],
        "kind_rules": kind.rules,
    }


def renew_kernels(evidence_by_pk: Mapping[int, Evidence]) -> None:
    """Update stored kernels by the present rules. If a person corrected the kind, keep it."""
    rows = Kernel.objects.filter(pk__among=evidence_by_pk).order_by("pk")
    columns = (*KIND, "hardware", "min_triton")
    # Lock the rows, so that a correction between this read and the write is not lost.
    kernels = list(rows.select_for_update(no_key=True).only("pk", "kind_corrected", *columns))
    for kernel in kernels:
        evidence = evidence_by_pk[kernel.pk]
        # If the text names no hardware, `persist.hardware` decides by paths after all batches.
        kernel.hardware = evidence.hardware or kernel.hardware
        kernel.min_triton = evidence.min_triton
        if not kernel.kind_corrected:
            for name, value in kind_columns(evidence.kind).items():
                setattr(kernel, name, value)
    Kernel.objects.bulk_update(kernels, columns)


def store_findings(evidence_by_pk: Mapping[int, Evidence]) -> None:
    """Store one finding for each gate. Delete the findings of gates that no longer exist."""
    rows = [
        QualityFinding(kernel_id=kernel, rules=evidence.profile, **asdict(finding))
        for kernel, evidence in evidence_by_pk.items()
        for finding in evidence.findings
    ]
    QualityFinding.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=("kernel", "gate"), update_fields=FINDING
    )
    known = QualityFinding.objects.filter(kernel__among=evidence_by_pk)
    known.exclude(gate__in={row.gate for row in rows}).delete()
