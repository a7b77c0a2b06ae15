"""Run times of a ladder: pairs with the same Python code and differently optimized kernels.

Times are comparable if they were measured on the same GPU with the same case. Small cases mostly
measure the launch, so only the test's PERF_CASES count.
"""

import ast
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import F, QuerySet

from curation.models import Device, Pair, Status, ValidationResult, Verdict
from curation.source.functions import assignment
from curation.source.text import UNREADABLE


class Place(NamedTuple):
    """A GPU and a case on which times were measured. The case is JSON."""

    gpu: str
    case: str


@dataclass(frozen=True, slots=True)
class TimedRung:
    pair: Pair
    median_us: float


def rungs_beside(pair: Pair) -> QuerySet[Pair]:
    """Return all pairs of a pair's ladder in the declared order, which begins with the slowest."""
    rungs = Pair.objects.filter(ladder=pair.ladder, python_code=pair.python_code)
    return rungs.exclude(status=Status.RETIRED).order_by("rung", "pk")


def timed_rungs(pairs: Sequence[Pair]) -> tuple[Place, list[TimedRung]] | None:
    """Return the times on the GPU and case for which the most of these pairs have a time.

    The slowest is first. Return None if no GPU and case has times of at least two pairs.
    """
    by_place: dict[Place, list[TimedRung]] = defaultdict(list)
    for (pk, place), median in _times(pairs).items():
        by_place[place].append(TimedRung(next(p for p in pairs if p.pk == pk), median))
    places = [place for place, rungs in by_place.items() if len(rungs) > 1]
    if not places:
        return None
    place = min(places, key=lambda place: (-len(by_place[place]), place))
    return place, sorted(by_place[place], key=lambda rung: (-rung.median_us, rung.pair.rung))


def _times(pairs: Sequence[Pair]) -> dict[tuple[int, Place], float]:
    """Return the newest median run time (µs) of each pair, per GPU and case."""
    perf_cases = {pair.pk: read_perf_cases(pair.test_code) for pair in pairs}
    results = ValidationResult.objects.filter(
        pair__in=[pair.pk for pair in pairs], content_hash=F("pair__content_hash"),
        run__device=Device.CUDA, verdict=Verdict.PASSED,
    )  # fmt: skip
    times = {}
    rows = results.order_by("pk").values_list("pair_id", "figures", "run__environment")
    for pk, figures, environment in rows:
        case, timing = figures.get("timed_case"), figures.get("timing") or {}
        median = (timing.get("candidate") or {}).get("median_us")
        if case in perf_cases[pk] and median and not timing.get("impossible"):
            place = Place(str(environment.get("gpu", "")), json.dumps(case, sort_keys=True))
            times[pk, place] = float(median)
    return times


def read_perf_cases(test_code: str) -> list[Mapping[str, Any]]:
    """Return PERF_CASES if it is a list of literals, or else an empty list."""
    with suppress(*UNREADABLE, TypeError):
        if assigned := assignment(ast.parse(test_code), "PERF_CASES"):
            return list(ast.literal_eval(assigned.value))
    return []
