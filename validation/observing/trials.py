"""Trials of other sizes. Those that reach code that no case reaches become cases."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from validation.harness.plan import trial_plan as plan
from validation.observing.edits import Observed
from validation.observing.outcomes import kernel_outcomes

Trial = Mapping[str, Any]
"""`of` is the number of a case, and `sizes` has its changed sizes."""
Fact = tuple[Any, ...]
"""An outcome of a condition of the Triton side, or the name of a launched kernel."""
FACTORS = (2, 4, 16, 64, 256)
# Maximum elements of a trial's inputs, if one size determines two axes.
ELEMENTS = 2**26
NEW_CASES = 3
KINDS = ("size", "near")


def arranged(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a run with the notes of all its cases by place."""
    outcomes: Any = defaultdict(lambda: defaultdict(set))
    values: Any = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    launches: Any = defaultdict(list)
    for run in [answer, *answer["cases"]]:
        for note in run["notes"]:
            match note:
                case ["test", text, line, column, outcome]:
                    outcomes[text][line, column].add(outcome)
                case ["call", text, line, name, value]:
                    values[text][line][name].add(value)
                case ["launch", kernel, constants] if dict(constants) not in launches[kernel]:
                    launches[kernel].append(dict(constants))
    reads = any(["read"] in case["notes"] for case in answer["cases"])
    return {**answer, "outcomes": outcomes, "values": values, "launches": launches, "reads": reads}


def make_trials(seen: Observed) -> Iterator[Trial]:
    """Yield larger sizes of the smallest case, then the sizes that a checker tries, too."""
    rows, fixed = seen["rows"], seen["fixed"]
    count, smallest = min(
        (sum(math.prod(each.get("shape", [0])) for each in case["inputs"]), number)
        for number, case in enumerate(seen["cases"])
    )
    for key in plan.size_keys(rows[smallest], fixed):
        size = rows[smallest][key]
        for factor in FACTORS:
            if count * factor**2 <= ELEMENTS:
                larger = [*size[:-1], size[-1] * factor] if type(size) is list else size * factor
                yield {"of": smallest, "sizes": {key: larger}}
    numbered = [{**row, "": str(number)} for number, row in enumerate(rows)]
    for trial in plan.varied(numbered, fixed, [], "cuda", 0):
        if trial.kind in KINDS:
            sizes = {key: trial.case[key] for key in plan.size_keys(trial.case, fixed)}
            yield {"of": int(trial.case[""]), "sizes": sizes}


def select_trials(text: str, seen: Observed, runs: Iterable[tuple[Trial, Any]]) -> list[Trial]:
    """Return the few trials that reach the most code that no case reaches.

    runs: each trial with its facts, or with None if it failed.
    """
    reached = {fact for case in seen["cases"] for fact in _facts(text, seen, case)}
    facts = [(trial, {*_facts(text, seen, run)}) for trial, run in runs if run is not None]
    chosen: list[Trial] = []
    while facts and len(chosen) < NEW_CASES:
        trial, more = max(facts, key=lambda each: len(each[1] - reached))
        if more <= reached:
            break
        chosen.append(trial)
        reached |= more
    return chosen


def _facts(text: str, seen: Observed, run: Mapping[str, Any]) -> Iterator[Fact]:
    alone = arranged({**seen, "notes": [], "cases": [run]})
    for place, outcomes in alone["outcomes"]["triton_code"].items():
        yield from ((*place, outcome) for outcome in outcomes)
    for node, known in kernel_outcomes(text, alone).items():
        yield from ((node.lineno, node.col_offset, outcome) for outcome in known)
    yield from ((kernel,) for kernel in alone["launches"])
