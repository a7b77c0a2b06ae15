"""Programs of the launcher for each trial, asked of a recorder, which is not trusted.

Trials whose inputs are laid out alike share a recording, since a recorder sees no values. Where the
launcher reads numbers, a replay on the true inputs answers, and the call is recorded again.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from validation.harness.arguments import storages
from validation.harness.children import Answer, Child
from validation.harness.judge.evidence import raised
from validation.harness.judge.own_test import Deeds, deeds, layout
from validation.harness.judge.reads import altered, computes
from validation.harness.plan import Trial
from validation.harness.program_reader import read
from validation.harness.report import Check, Verdict
from validation.harness.step_runner import StepRunner, Stopped, reading

Json = Any
# A launcher may look at some lengths.
READS_MOST = 32


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call of the launcher: its program and the content of the program's constants, or what it
    raised. `problems`: what it does that no replay can do, by name; `computed`: what it computes
    by itself, and not by kernels or torch."""

    program: Json
    blobs: Sequence[memoryview]
    raised: Json = None
    problems: dict[str, int] = field(default_factory=dict)
    computed: dict[str, int] = field(default_factory=dict)
    reads: int = 0


class Recordings:
    """`of[trial number][mode]` is a recording. The second run of a trial plays a second call with
    the same inputs: a launcher may keep memory between calls."""

    def __init__(
        self, talk: StepRunner, trials: Sequence[Trial], arguments: dict[int, Json],
        blobs: Sequence[memoryview], order: dict[str, Any],
    ) -> None:  # fmt: skip
        self._talk, self._arguments, self._blobs, self._order = talk, arguments, blobs, order
        # A recorder may write forged code into its compile cache: no other process may use that.
        self._of_recorder = {key: value for key, value in order.items() if key != "cache"}
        self.of: dict[int, dict[str, Recorded]] = {}
        with ExitStack() as stack:
            self._stack = stack
            self._recorder = stack.enter_context(talk._candidate("recorder"))
            self._player: Child | None = None
            self._make(trials)

    @property
    def every(self) -> list[Recorded]:
        """Return the recordings, each once."""
        each = [recorded for by_mode in self.of.values() for recorded in by_mode.values()]
        return list({id(recorded): recorded for recorded in each}.values())

    def deeds(self) -> dict[str, Deeds]:
        """Return what the launcher does by the layout of its inputs, where no values decide it."""
        found = {}
        for number, by_mode in self.of.items():
            first = by_mode["first"]
            if first.raised is None and not first.reads:
                found[layout(self._arguments[number])] = deeds(read(first.program))
        return found

    def _make(self, trials: Sequence[Trial]) -> None:
        alike: dict[str, list[Trial]] = {}
        for trial in trials:
            alike.setdefault(self._layout(trial), []).append(trial)
        calls = [
            self._call(group[0], ())
            for group in alike.values()
            for _ in range(2 if _is_run_twice(group) else 1)
        ]
        made = iter(self._record(calls, begin=True))
        for group in alike.values():
            first = next(made)
            second = next(made) if _is_run_twice(group) else first
            for trial in group:
                if first.reads or second.reads:
                    # The launcher's program depends on the values of tensors.
                    known = self._with_reads(trial, first)
                    by_mode = {"first": known, "second": known, "idle": known}
                else:
                    by_mode = {"first": first, "second": second, "idle": first}
                self.of[trial.number] = by_mode

    def _layout(self, trial: Trial) -> str:
        """Return all that a recorder may know about the trial's inputs."""
        tree = self._arguments[trial.number]
        places = storages(tree)
        sizes = [len(self._blobs[place]) for place in places]
        return json.dumps([_renumbered(tree, {place: n for n, place in enumerate(places)}), sizes])

    def _call(self, trial: Trial, known: Sequence[Json]) -> dict[str, Json]:
        tree = self._arguments[trial.number]
        sizes = {str(place): len(self._blobs[place]) for place in storages(tree)}
        return {"number": trial.number, "arguments": tree, "sizes": sizes, "known": list(known)}

    def _record(self, calls: Sequence[Json], *, begin: bool = False) -> Iterator[Recorded]:
        order = {**(self._of_recorder if begin else {}), "calls": list(calls)}
        name = "recorder" if begin else ""
        answer = self._talk._ask(self._recorder, name, "record", order, role="recorder")
        with reading("accuracy"):
            if "error" in answer.header:
                words = f"triton_code: {raised(answer.header['error'])}"
                raise Stopped(Check("accuracy", Verdict.ERROR, words))
            made = [_recorded(said, answer) for said in answer.header["made"]]
            if len(made) != len(calls):
                raise ValueError("another number of recordings")
        return iter(made)

    def _with_reads(self, trial: Trial, recorded: Recorded) -> Recorded:
        """Record the call with what it reads of this trial's inputs."""
        known: list[Json] = []
        while recorded.reads and recorded.raised is None:
            if len(known) == READS_MOST:
                words = f"it reads more than {READS_MOST} times what its tensors hold"
                return Recorded(None, (), {"type": "Unsupported", "text": words, "at": ""})
            said = self._read(trial, recorded).header
            with reading("accuracy"):
                if "error" in said:
                    return Recorded(None, (), said["error"], recorded.problems)
                known.append(list(said["numbers"]))
            (recorded,) = self._record([self._call(trial, known)])
        if recorded.raised is None and self._computes(trial, recorded, known):
            return replace(recorded, computed={"a number that it reads": 1})
        return recorded

    def _computes(self, trial: Trial, recorded: Recorded, known: list[Json]) -> bool:
        """Return whether other answers to its reading change what it computes with."""
        (other,) = self._record([self._call(trial, altered(known))])
        if other.reads or other.raised is not None:
            # With such lengths it does something else.
            return False
        with reading("accuracy"):
            program, others = read(recorded.program), read(other.program)
        return computes(program, recorded.blobs, known, others, other.blobs)

    def _read(self, trial: Trial, recorded: Recorded) -> Answer:
        begin = self._player is None
        player = self._player or self._stack.enter_context(self._talk._candidate("replayer"))
        self._player = player
        tree = self._arguments[trial.number]
        held, blobs = with_constants([recorded], self._blobs, set(storages(tree)))
        order = {**(self._order if begin else {}), "arguments": tree, "programs": held}
        name = "replayer" if begin else ""
        return self._talk._ask(player, name, "numbers", order, blobs, role="replayer")


def with_constants(
    recorded: Sequence[Recorded], blobs: Sequence[memoryview], used: set[int]
) -> tuple[list[Json], list[memoryview]]:
    """Return the programs and the blobs that they and their inputs refer to. Inputs keep their
    places; constants come after them."""
    held = [blob if place in used else memoryview(b"") for place, blob in enumerate(blobs)]
    programs = []
    for one in recorded:
        programs.append({"program": one.program, "constants": len(held)})
        held += one.blobs
    return programs, held


def _recorded(said: Json, answer: Answer) -> Recorded:
    problems = {str(name)[:200]: int(count) for name, count in dict(said["problems"]).items()}
    if "error" in said:
        return Recorded(None, (), said["error"], problems)
    reads = int("reads" in said)
    return Recorded(said["program"], answer.blobs, None, problems, reads=reads)


def _is_run_twice(trials: Sequence[Trial]) -> bool:
    return any("second" in trial.modes for trial in trials)


def _renumbered(tree: Json, numbers: dict[int, int]) -> Json:
    if isinstance(tree, dict):
        if "storage" in tree:
            return {**tree, "storage": numbers[tree["storage"]]}
        return {name: _renumbered(part, numbers) for name, part in tree.items()}
    return [_renumbered(part, numbers) for part in tree] if isinstance(tree, list) else tree
