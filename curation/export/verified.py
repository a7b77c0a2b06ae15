"""Validations that admitted the pairs, as columns of their records."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from curation.export.schema import VerifiedColumn
from curation.models import ValidationCheck, ValidationResult


def verified(results: Collection[int]) -> dict[int, VerifiedColumn]:
    """Return the column `verified` of each validation, by the primary key of its result."""
    checks: dict[int, dict[str, str | None]] = defaultdict(dict)
    rows = ValidationCheck.objects.filter(result__among=results).order_by()
    for result, name, outcome in rows.values_list("result_id", "name", "outcome"):
        checks[result][name] = outcome
    admitting = ValidationResult.objects.filter(pk__among=results).order_by()
    columns = ("pk", "run__device", "run__environment", "figures", "created_at")
    return {
        pk: _verified(device, environment, checks[pk], figures, at)
        for pk, device, environment, figures, at in admitting.values_list(*columns)
    }


def _verified(
    device: str,
    environment: Mapping[str, Any],
    checks: Mapping[str, str | None],
    figures: Mapping[str, Any],
    at: datetime,
) -> VerifiedColumn:
    def number(name: str, kind: type[int] | type[float]) -> Any:
        value = figures.get(name)
        return kind(value) if isinstance(value, int | float) else None

    grades = figures.get("grades") or {}
    own_error = grades.get("own_error")
    return {
        "device": device,
        "torch": environment.get("torch"),
        "triton": environment.get("triton"),
        "python": environment.get("python"),
        "checks": dict(sorted(checks.items())),
        "cases": number("cases", int),
        "max_abs_error": number("max_abs_error", float),
        "max_rel_error": number("max_rel_error", float),
        "accuracy": grades.get("accuracy"),
        "own_error": None if own_error is None else float(own_error),
        "sizes": grades.get("sizes"),
        "values": grades.get("values"),
        "special_values": grades.get("special_values"),
        "unvaried": grades.get("unvaried"),
        "launched": grades.get("launched"),
        "test_strength": grades.get("test_strength"),
        "speedup": number("speedup", float),
        "at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
