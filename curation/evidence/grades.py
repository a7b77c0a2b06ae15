"""Grades of a pair's validation, judged by the tables of `validation/harness/policy.toml`."""

import tomllib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from curation.models import Device, ValidationResult, Verdict
from curation.operations.data_folder import BASE_DIR

POLICY_TABLE = BASE_DIR / "validation" / "harness" / "policy.toml"
# Limits of the policy, each with the grade that it limits.
LIMITS = {
    "torch_share_most": "torch_share",
    "own_error_most": "own_error",
    "test_strength_least": "test_strength",
}
NOT_TRIED = "not_tried"
# Plain strings, because looking up an enum member takes longer than the comparison itself.
UNSUPPORTED = Verdict.UNSUPPORTED.value
DEVICES = (Device.CUDA.value, Device.INTERPRETER.value)


class ValidationRow(NamedTuple):
    """A validation of an item's current content."""

    pk: int
    device: str
    verdict: str
    grades: Mapping[str, Any] = MappingProxyType({})
    at: datetime | None = None


def validations_of(pks: Collection[int]) -> dict[int, list[tuple[str, ValidationRow]]]:
    """Return the validations of each pair by its key, with the hash of the validated content."""
    rows = ValidationResult.objects.filter(pair__among=pks, run__device__in=DEVICES)
    validations: dict[int, list[tuple[str, ValidationRow]]] = defaultdict(list)
    columns = (
        "pair_id", "content_hash", "pk", "run__device", "verdict", "figures__grades", "created_at",
    )  # fmt: skip
    for pair, hashed, pk, device, verdict, grades, at in rows.order_by().values_list(*columns):
        validations[pair].append((hashed, ValidationRow(pk, device, verdict, grades or {}, at)))
    return validations


def deciding(validations: Sequence[ValidationRow]) -> ValidationRow | None:
    """Return the newest validation on a GPU or, without one, the newest in the interpreter.

    The interpreter can pass a pair that fails on a GPU. Unsupported validations are ignored.
    """
    for device in DEVICES:
        there = [t for t in validations if t.device == device and t.verdict != UNSUPPORTED]
        if there:
            return max(there, key=lambda validation: validation.pk)
    return None


def refusal(origin: str, grades: Mapping[str, Any]) -> str:
    """Return a sentence on a grade that excludes a pair of this origin from every export, or "".

    Grades that an older result lacks are accepted, because verdicts were stricter at that time.
    """
    for name, accepted in _table("export", origin).items():
        value = grades.get(LIMITS.get(name, name))
        if value is None:
            continue
        if name in LIMITS:
            if value > accepted:
                return f"Torch computes {value:.0%} of it; at most {accepted:.0%} is accepted."
        elif value not in accepted:
            words = name.replace("_", " ")
            return f"Its {words} is {value}, {' or '.join(accepted)} is required."
    return ""


def open_grades(origin: str, validation: ValidationRow) -> dict[str, Any]:
    """Return the grades with which only a person may approve the pair, with their values.

    An absent grade is included, because its property was not tried.
    """
    grades = {**validation.grades, "device": validation.device}
    left_open = {}
    for name, accepted in _table("approval", origin).items():
        grade = LIMITS.get(name, name)
        value = grades.get(grade)
        if grade == "own_error":
            fits = error_beyond_rounding(grades) <= accepted
        elif grade == "test_strength":
            fits = noticed_share(value) >= accepted
        elif grade == "unvaried":
            fits = value is not None and set(value) <= set(accepted)
        else:
            fits = value in accepted
        if not fits:
            left_open[grade] = NOT_TRIED if value is None else value
    return left_open


def noticed_share(strength: Any) -> float:
    """Return the share of planted faults that a test notices, from a text such as `7 of 12`."""
    noticed, _, kinds = str(strength).partition(" of ")
    if not (noticed.isdigit() and kinds.isdigit() and int(kinds)):
        return 0.0
    return int(noticed) / int(kinds)


def error_beyond_rounding(grades: Mapping[str, Any]) -> float:
    """Return the worst error as a multiple of torch's own, or 0 if the accuracy is not `within`.

    A `close` answer may have a large multiple, because torch is nearly exact in small elements.
    """
    return float(grades.get("own_error") or 0.0) if grades.get("accuracy") == "within" else 0.0


def most_own_error(origin: str = "default") -> float:
    """Return the largest multiple of torch's own error that needs no approval by a person."""
    return float(_table("approval", origin)["own_error_most"])


def _table(name: str, origin: str) -> Mapping[str, Any]:
    by_origin = _policy()[name]
    table: Mapping[str, Any] = by_origin.get(origin) or by_origin["default"]
    return table


@cache
def _policy() -> Mapping[str, Any]:
    with POLICY_TABLE.open("rb") as file:
        return tomllib.load(file)
