"""The `verified` column: the validation that admitted a record."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from curation.export.columns import GRADES, NO_CHECKS
from curation.export.lines import encode
from curation.export.statistics import NONE
from curation.models import ValidationCheck, ValidationResult, ValidationRun


class VerifiedColumn(NamedTuple):
    device: str
    checks: tuple[str, ...]
    # The whole column as JSON.
    json_text: str
    # The parts that compute (Triton, torch), as members of a JSON object.
    computed_by: str


UNVERIFIED = VerifiedColumn(NONE, (), "null", '"computed_by":null,"torch_operations":[]')


def verified(results: Collection[int]) -> dict[int, VerifiedColumn]:
    """Return the columns by result."""
    checks: dict[int, dict[str, str]] = defaultdict(dict)
    rows = ValidationCheck.objects.filter(result__among=results).order_by()
    for result, name, outcome in rows.values_list("result_id", "name", "outcome"):
        checks[result][name] = outcome
    rows_of_results = ValidationResult.objects.filter(pk__among=results).order_by()
    rest = list(rows_of_results.values_list("pk", "run_id", "figures", "created_at"))
    runs = ValidationRun.objects.filter(pk__among={run for _, run, *_ in rest}).order_by()
    by_run = {
        pk: (device, _made(device, environment))
        for pk, device, environment in runs.values_list("pk", "device", "environment")
    }
    return {
        pk: VerifiedColumn(
            by_run[run][0],
            tuple(sorted(checks[pk])),
            f'{{{by_run[run][1]},"checks":{_outcomes(tuple(sorted(checks[pk].items())))},'
            f'"cases":{_number(figures, "cases", int)},'
            f'"max_abs_error":{_number(figures, "max_abs_error", float)},'
            f'"max_rel_error":{_number(figures, "max_rel_error", float)},{_graded(figures)},'
            f'"speedup":{_number(figures, "speedup", float)},"at":"{_moment(at)}"}}',
            _computed_by(figures),
        )
        for pk, run, figures, at in rest
    }


def _made(device: str, environment: Mapping[str, Any]) -> str:
    versions = ((name, environment.get(name)) for name in ("torch", "triton", "python"))
    said = {name: None if version is None else str(version) for name, version in versions}
    return encode({"device": device, **said})[1:-1]


def _graded(figures: Mapping[str, Any]) -> str:
    """Return the grades as members of a JSON object. Older validations have none."""
    grades = figures.get("grades") or {}
    return encode({name: grades.get(name) for name in GRADES})[1:-1]


def _computed_by(figures: Mapping[str, Any]) -> str:
    grades = figures.get("grades") or {}
    operations = list(grades.get("torch_operations") or ())
    members = {"computed_by": grades.get("computed_by"), "torch_operations": operations}
    return encode(members)[1:-1]


@lru_cache(maxsize=512)
def _outcomes(checks: tuple[tuple[str, str], ...]) -> str:
    return encode(dict(checks) or NO_CHECKS)


def _number(figures: Mapping[str, Any], key: str, kind: type[int] | type[float]) -> str:
    value = figures.get(key)
    if not isinstance(value, int | float):
        return "null"
    number = kind(value)
    return repr(number) if isfinite(number) else encode(number)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
