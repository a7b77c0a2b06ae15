"""Suggested verdicts: what the reviewers' own decisions say about an item with such evidence.

A suggestion never decides. There are none until enough decisions of people can be learned from, and
as long as they predict decisions no better than always the more common one.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from curation.decisions.figures import due, keep, kept
from curation.decisions.logistic import LogisticModel, learn
from curation.models import (
    Actor,
    ContaminationMatch,
    Decision,
    Device,
    DuplicateLink,
    Kernel,
    Pair,
    QualityFinding,
    Status,
    ValidationResult,
    Verdict,
)
from curation.search.matching import about

Model = type[Kernel] | type[Pair]
MODELS: tuple[Model, ...] = (Kernel, Pair)
# Decisions that are needed and used, and the seconds between two lessons.
LEAST, MOST, SECONDS = 200, 5000, 600
# Reasons that are shown for and against. A smaller part of the score is no reason.
REASONS, SMALL = 3, 0.1
# Values of the grades that a reviewer should look into.
WEAK = ("within", "shown", "differ", "mixed", "some", "not_tried")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`sure` is the probability of the suggested status."""

    status: Status
    sure: float
    reasons: tuple[str, ...]
    against: tuple[str, ...]
    model: LogisticModel


def refresh() -> None:
    """Learn anew if decisions have come. A duty of the scheduler."""
    if not due("suggestions", SECONDS):
        return
    for model in MODELS:
        lesson = _decided(model)
        row = kept(_name(model))
        before = row.value.get("count", 0) if row else 0
        if len(lesson) >= LEAST and len(lesson) != before:
            features = features_of(model, lesson)
            keys = [key for key in lesson if key in features]
            learned = learn([features[key] for key in keys], [lesson[key] for key in keys])
            keep(_name(model), learned.as_json())


def learned(model: Model) -> LogisticModel | None:
    """Return the model of such items, or None if it is off."""
    row = kept(_name(model))
    if row is None:
        return None
    found = LogisticModel.from_json(row.value)
    return found if found.agreement > found.baseline else None


def suggestions(model: Model, keys: Collection[int]) -> dict[int, Suggestion]:
    """Return a suggestion for each item, or none at all."""
    rule = learned(model)
    if rule is None:
        return {}
    return {key: _suggestion(rule, row) for key, row in features_of(model, keys).items()}


def _suggestion(rule: LogisticModel, features: Mapping[str, float]) -> Suggestion:
    chance = rule.probability(features)
    status = Status.APPROVED if chance >= 0.5 else Status.REJECTED
    sign = 1.0 if status == Status.APPROVED else -1.0
    terms = [
        (sign * value, _words(name, features.get(name, 0.0)))
        for name, value in rule.terms(features).items()
        if abs(value) >= SMALL
    ]
    terms.sort(key=lambda term: (-abs(term[0]), term[1]))
    return Suggestion(
        status,
        max(chance, 1 - chance),
        tuple(words for value, words in terms if value > 0)[:REASONS],
        tuple(words for value, words in terms if value < 0)[:REASONS],
        rule,
    )


def _words(name: str, value: float) -> str:
    if name in ("length", "speed"):
        return f"its {name}"
    return name if value else f"not {name}"


def _name(model: Model) -> str:
    return f"suggestions for {model._meta.verbose_name_plural}"


def _decided(model: Model) -> dict[int, bool]:
    """Return whether people approved items, each by itself and with its present text."""
    name = about(model)
    rows = Decision.objects.filter(
        actor=Actor.PERSON, bulk=None, undoes=None, undone_by=None, **{f"{name}__isnull": False},
        status__in=(Status.APPROVED, Status.REJECTED), content_hash=F(f"{name}__content_hash"),
    )  # fmt: skip
    newest = rows.order_by("-pk").values_list(f"{name}_id", "status")[:MOST]
    decided: dict[int, bool] = {}
    for key, status in newest:
        decided.setdefault(key, status == Status.APPROVED)
    return dict(sorted(decided.items()))


# --- Evidence as numbers ----------------------------------------------------------------------
def features_of(model: Model, keys: Collection[int]) -> dict[int, dict[str, float]]:
    """Return the evidence about items as named numbers. Nearly all are 0 or 1."""
    name, wanted = about(model), list(keys)
    columns = ["pk", "difficulty", "license_verdict", "tokens", "content_hash"]
    columns += ["kind", "standalone", "lines"] if model is Kernel else ["origin", "differentiable"]
    rows = model._default_manager.filter(pk__among=wanted).values(*columns)
    features = {row["pk"]: _own(row) for row in rows}
    hashes = {row["pk"]: row["content_hash"] for row in rows}
    for of, words in ((DuplicateLink, "a near-duplicate"), (ContaminationMatch, "in a benchmark")):
        found = of._default_manager.filter(**{f"{name}__among": wanted}).values_list(name)
        _mark(features, (key for (key,) in found), words)
    if model is Kernel:
        failing = QualityFinding.objects.filter(kernel__among=wanted, passed=False)
        for key, gate in failing.values_list("kernel", "gate"):
            _mark(features, [key], f"warned of by the gate {gate}")
    results = ValidationResult.objects.filter(**{f"{name}__among": wanted}).order_by("pk")
    newest = {}
    for result in results.values(name, "content_hash", "verdict", "figures", "run__device"):
        if result["content_hash"] == hashes.get(result[name]):
            newest[result[name]] = result
    for key, result in newest.items():
        _add_result(features[key], result)
    return features


def _own(row: Mapping[str, Any]) -> dict[str, float]:
    made = {
        f"of the difficulty {row['difficulty'] or 'unknown'}": 1.0,
        f"licensed as {row['license_verdict']}": 1.0,
        "length": math.log2(1 + (row["tokens"] or 0)),
    }
    if "kind" in row:
        made[f"an {row['kind']} kernel" if row["kind"] == "entry" else "a helper"] = 1.0
        made["standalone"] = float(row["standalone"])
    else:
        made[f"of the origin {row['origin']}"] = 1.0
        made["differentiable"] = float(row["differentiable"])
    return made


def _add_result(features: dict[str, float], result: Mapping[str, Any]) -> None:
    passed = result["verdict"] == Verdict.PASSED
    compiled = result["run__device"] == Device.COMPILER
    features["compiled" if compiled else "validated"] = float(passed)
    if not passed:
        features[f"found to be {result['verdict']}".replace("_", " ")] = 1.0
    figures = result["figures"] if isinstance(result["figures"], dict) else {}
    grades = figures.get("grades")
    for grade, value in grades.items() if isinstance(grades, dict) else ():
        if value in WEAK:
            features[f"graded {value} in {grade.replace('_', ' ')}"] = 1.0
    speedup = figures.get("speedup")
    if isinstance(speedup, int | float) and speedup > 0:
        features["speed"] = math.log2(speedup)
    if figures.get("local_bytes"):
        features["spilling registers"] = 1.0


def _mark(features: dict[int, dict[str, float]], keys: Iterable[int], words: str) -> None:
    for key in keys:
        if key in features:
            features[key][words] = 1.0
