"""Evidence in a kernel's text as rows, each written if it is new or changed."""

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


def renew_kinds(kinds: Mapping[int, Classification]) -> None:
    """Bring the kind of known kernels up to today's rules, except corrected ones."""
    changed = []
    # Locked: no correction may come between this read and the write.
    left_to_rules = Kernel.objects.filter(pk__among=kinds, kind_corrected=False).order_by("pk")
    for row in left_to_rules.select_for_update(no_key=True).only("pk", *KIND):
        columns = kind_columns(kinds[row.pk])
        if any(getattr(row, name) != value for name, value in columns.items()):
            for name, value in columns.items():
                setattr(row, name, value)
            changed.append(row)
    Kernel.objects.bulk_update(changed, KIND)


def store_findings(evidence_by_kernel: Mapping[int, Evidence]) -> None:
    """Store one finding for each gate; findings of removed gates are deleted."""
    rows = {
        (row.kernel_id, row.gate): row
        for row in QualityFinding.objects.filter(kernel__among=evidence_by_kernel)
    }
    fresh = {
        (kernel, finding.gate): QualityFinding(
            kernel_id=kernel,
            gate=finding.gate,
            passed=finding.passed,
            action=finding.action,
            value=finding.value,
            message=finding.message,
            rules=evidence.profile,
        )
        for kernel, evidence in evidence_by_kernel.items()
        for finding in evidence.findings
    }
    obsolete = [row.pk for place, row in rows.items() if place not in fresh]
    QualityFinding.objects.filter(pk__among=obsolete).delete()
    changed = []
    for place in rows.keys() & fresh.keys():
        if _content(rows[place]) != _content(fresh[place]):
            fresh[place].pk = rows[place].pk
            changed.append(fresh[place])
    QualityFinding.objects.bulk_update(changed, FINDING)
    QualityFinding.objects.bulk_create(
        (row for place, row in fresh.items() if place not in rows), ignore_conflicts=True
    )


def _content(row: QualityFinding) -> tuple[object, ...]:
    return tuple(getattr(row, column) for column in FINDING)
