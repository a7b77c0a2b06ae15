"""Simplification of complete drafts: drop code that no case runs, but keep the recorded program.

A draft is run in the sandbox on its own cases. A change that the run suggests is kept only if the
inputs, the results of the reference and the program of the Triton code stay the same.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from curation.source.text import UNREADABLE, Edits, parse
from validation.harness.pool.questions import Workers
from validation.observing.answer_types import answer_types, narrowed
from validation.observing.cases import with_more_cases, with_sizes
from validation.observing.changes import RULES, unrun_methods, unused_definitions
from validation.observing.edits import Change, Observed, Texts
from validation.observing.faults import fault_of_error, fault_of_runs
from validation.observing.trials import Trial, arranged, make_trials, select_trials

log = logging.getLogger(__name__)

UNKNOWN = "it could not be run"
Facts = Mapping[str, str]
"""Facts from a run. `missing` and `sentence` give the reason why the draft is no pair. `backward`
names the torch operations of the backward pass that compute.
"""
WORKER = "validation.observing.worker"
# CPU seconds of one run. ROUNDS, RUNS_MOST: maximum rounds and runs for one draft.
SECONDS = 30.0
ROUNDS, RUNS_MOST = 12, 60
# Maximum elements of the first case's inputs: 2 MiB in float32, or less if a run takes too long.
MOST_ELEMENTS = (2**19, 2**16)


@contextmanager
def simplifier() -> Iterator[Callable[[Texts, str, bool], tuple[Texts, Facts]]]:
    """Start the sandbox, and yield a function that simplifies the texts of a draft.

    It takes the texts, the entry point, and whether gradients are compared. It returns the texts
    and facts about them. Several threads may call it at the same time.
    """
    with Workers(WORKER, seconds=SECONDS) as workers:
        log.info("observing drafts with torch %s", workers.versions["torch"])

        def simplify(texts: Texts, entry: str, differentiable: bool) -> tuple[Texts, Facts]:
            try:
                return Simplifier(workers, entry, differentiable=differentiable).simplify(texts)
            except Exception:
                # Hostile code may give any answer. The error only affects its own draft.
                log.warning("%s stays as it was drafted", entry, exc_info=True)
                return texts, {}

        yield simplify


class Simplifier:
    """Simplification of one draft by runs in the sandbox."""

    def __init__(self, workers: Workers, entry: str, *, differentiable: bool) -> None:
        self._workers, self._entry = workers, entry
        self._differentiable = differentiable
        self._runs = 0
        self._error: Mapping[str, Any] = {}
        self._refused: set[object] = set()
        self._seen: dict[tuple[str, ...], Observed | None] = {}

    def simplify(self, texts: Texts) -> tuple[Texts, Facts]:
        """Return the texts without code that no case needs, with the launcher's dtypes.

        If the texts can't be run on this machine, only unused definitions are dropped, and the
        inputs are made smaller.
        """
        written = texts
        for most in MOST_ELEMENTS:
            texts = self._with_smaller_inputs(texts, most)
            seen = self.observe(texts)
            if seen is not None or self._error:
                break
        if seen is None and self._error and texts != written:
            # Values that depend on each other, such as lengths and their sum, may shrink apart.
            texts, seen = written, self.observe(written)
        again = self.observe(texts, again=True) if seen is not None else None
        if seen is None or again is None:
            fault = fault_of_error(self._error, texts) if self._error else {}
            return self._without_unused(texts), {
                "backward": UNKNOWN if self._differentiable else "",
                **fault,
            }
        facts = fault_of_runs(seen, again)
        backward = sorted({name for case in seen["cases"] for name in case["beside"][1]})
        if facts or backward:
            return texts, {"backward": ", ".join(backward), **facts}
        for types in (narrowed, answer_types):
            converted = _changed(texts, [types(texts, seen, self._entry)])
            if converted != texts and (again := self.observe(converted)) is not None:
                texts, seen = converted, again
        texts, seen = self._with_more_cases(texts, seen)
        for _ in range(ROUNDS):
            before = texts
            for rule in RULES:
                with suppress(*UNREADABLE):
                    proposed = list(rule(texts, seen, self._entry))
                    texts, seen = self._kept(texts, seen, proposed)
            if texts == before:
                break
        closed = {name: _closed(text) for name, text in texts.items()}
        return {name: text.strip("\n") + "\n" for name, text in closed.items()}, {}

    def _with_smaller_inputs(self, texts: Texts, most: int) -> Texts:
        answer = self._ask(texts, most=most)
        if answer is None:
            return texts
        test = with_sizes(texts["test_code"], answer["rows"], answer["constants"])
        return {**texts, "test_code": test}

    def _with_more_cases(self, texts: Texts, seen: Observed) -> tuple[Texts, Observed]:
        """Add cases of other sizes that reach more code."""
        trials = [*make_trials(seen)]
        tried = self.observe(texts, trials=trials)
        runs = zip(trials, tried["trials"], strict=True) if tried is not None else ()
        chosen = select_trials(texts["triton_code"], seen, runs)
        more = {**texts, "test_code": with_more_cases(texts["test_code"], chosen)}
        again = self.observe(more) if chosen else None
        return (more, again) if again is not None else (texts, seen)

    def _without_unused(self, texts: Texts) -> Texts:
        with suppress(*UNREADABLE):
            if not self._differentiable:
                texts = _changed(texts, unrun_methods(texts, {}, self._entry))
            texts = _changed(texts, unused_definitions(texts, {}, self._entry))
        return texts

    def _kept(
        self, texts: Texts, seen: Observed, proposed: Sequence[Change]
    ) -> tuple[Texts, Observed]:
        """Return the texts with those of the changes that keep what the draft does.

        All changes refer to places in the given texts, so each half can be tried on these texts.
        """
        good = self._good(texts, seen, self._apart(texts, proposed), [])
        changed = _changed(texts, good)
        again = self._known(changed) if good else None
        return (changed, again) if again is not None and _is_same(seen, again) else (texts, seen)

    def _apart(self, texts: Texts, proposed: Iterable[Change]) -> list[Change]:
        """Return the changes that were not refused before and do not overlap an earlier change."""
        apart: list[Change] = []
        for change in proposed:
            if not self._refused & _written(texts, change) and not any(
                _overlap(change, other) for other in apart
            ):
                apart.append(change)
        return apart

    def _good(
        self, texts: Texts, seen: Observed, proposed: Sequence[Change], others: list[Change]
    ) -> list[Change]:
        """Return `others` and the good ones of the proposed changes, found by halving."""
        if not proposed:
            return others
        again = self._known(_changed(texts, [*others, *proposed]))
        if again is not None and _is_same(seen, again):
            return [*others, *proposed]
        if len(proposed) == 1:
            self._refused |= _written(texts, proposed[0])
        # Sets of changes are still tried together, because most of the text is often unused.
        if len(proposed) == 1 or self._runs >= RUNS_MOST:
            return others
        middle = len(proposed) // 2
        others = self._good(texts, seen, proposed[:middle], others)
        return self._good(texts, seen, proposed[middle:], others)

    def _known(self, texts: Texts) -> Observed | None:
        """Return the facts of a run. A run of the same texts is not repeated."""
        key = tuple(texts.values())
        if key not in self._seen:
            self._seen[key] = self.observe(texts)
        return self._seen[key]

    def observe(
        self, texts: Texts, *, again: bool = False, trials: Sequence[Trial] = ()
    ) -> Observed | None:
        """Return the facts of a new run, or None if the draft fails."""
        self._runs += 1
        try:
            for text in texts.values():
                parse(text)
        except UNREADABLE:
            return None
        answer = self._ask(texts, again=again, trials=[*trials])
        return arranged(answer) if answer is not None else None

    def _ask(self, texts: Texts, **options: object) -> Mapping[str, Any] | None:
        question = {"key": 0, "differentiable": self._differentiable, **options, **texts}
        [(_, reply)] = self._workers.ask([question])
        self._error = {} if reply.trouble else reply.answer.get("error", {})
        if reply.trouble or self._error:
            log.debug("%s: %s", self._entry, reply.trouble or self._error)
            return None
        return dict(reply.answer)


def _closed(text: str) -> str:
    """Return the text without the empty lines and commas that are left after removed code."""
    text = re.sub(r"^(def .*), \)", r"\1)", re.sub(r"\n{4,}", "\n\n\n", text), flags=re.M)
    return re.sub(r"^( +return \([^,\n]*(, [^,\n]+)*), \)$", _tuple, text, flags=re.M)


def _tuple(written: re.Match[str]) -> str:
    return f"{written[1]},)" if written[2] is None else f"{written[1]})"


def _changed(texts: Texts, changes: Iterable[Change]) -> dict[str, str]:
    edits = {name: Edits(text) for name, text in texts.items()}
    for change in changes:
        for name, made in change.items():
            edits[name].repeat(made)
    return {name: each.text() for name, each in edits.items()}


def _overlap(change: Change, other: Change) -> bool:
    return any(
        first < end and start < last
        for name, made in change.items()
        for first, last, _ in made
        for start, end, _ in other.get(name, ())
    )


def _written(texts: Texts, change: Change) -> set[object]:
    """Return the replaced and new parts of each text, independent of their position."""
    return {
        (name, *((texts[name].encode()[first:last], text) for first, last, text in made))
        for name, made in change.items()
    }


def _is_same(before: Observed, after: Observed) -> bool:
    """Return whether two runs did the same. Launches in the second may have fewer arguments."""
    if len(before["cases"]) != len(after["cases"]):
        return False
    return all(_same_case(*pair) for pair in zip(before["cases"], after["cases"], strict=True))


def _same_case(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    same = before["reference"] == after["reference"] and _has_all(before["inputs"], after["inputs"])
    steps, others = before["program"], after["program"]
    return (
        same
        and len(steps) == len(others)
        and all(_same_step(*pair) for pair in zip(steps, others, strict=True))
    )


def _has_all(inputs: Sequence[Any], fewer: Iterable[Any]) -> bool:
    """Return whether the second run's inputs are some of the first run's, in the same order."""
    rest = iter(inputs)
    return all(any(each == other for other in rest) for each in fewer)


def _same_step(before: Any, after: Any) -> bool:
    if isinstance(before, str) or isinstance(after, str):
        return bool(before == after)
    return bool(before[:2] == after[:2] and after[2].items() <= before[2].items())
