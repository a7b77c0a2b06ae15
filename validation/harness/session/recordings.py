"""Recorded programs of the launcher for each trial. The recorder is not trusted.

A recorder sees no values, so trials whose inputs have the same layout share a recording. If the
launcher reads numbers, a replay on the true inputs gets them, and the call is recorded again.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from validation.harness.judge.launcher_kernels import HOST_NUMBER
from validation.harness.judge.own_test import CallSummary, layout, summary_of
from validation.harness.judge.reads import INVENTIONS, Informed, computes, invented, is_fraction
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.arguments import Inputs, mapped, storages, tensors
from validation.harness.plan.trial_plan import ORDERS, Trial
from validation.harness.pool.children import Child
from validation.harness.program import Launch, Program
from validation.harness.program_reader import read
from validation.harness.report import Check, Verdict
from validation.harness.sandbox.hostile_json import raised
from validation.harness.session.entry_session import Session, Stopped

Json = Any
# Maximum number of reads in a call. A launcher may read a few lengths.
READS_MOST = 32


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded call of the launcher.

    program, blobs: the recorded program, and the content of its constants.
    raised: the exception, if there is no program.
    problems: counts of actions that no replay can repeat, by name.
    computed: counts of computations with neither kernels nor torch.
    reads: whether the program ends at an unanswered read.
    state: the arguments after the call, without the content of tensors.
    """

    program: Json
    blobs: Sequence[memoryview]
    raised: Json = None
    problems: dict[str, int] = field(default_factory=dict)
    computed: dict[str, int] = field(default_factory=dict)
    reads: bool = False
    state: Json = None


class Recordings:
    """Recordings of an entry: `of[trial number][mode]`.

    The second run of a trial plays a second call with the same inputs, since a launcher may keep
    memory between calls.

    order: base of requests to the replayer and the recorder. Its `own_cache` is a compile cache
    shared by the recordings of an entry.
    wanted: the reference's answers, if known.
    """

    def __init__(
        self, session: Session, recorder: Child, inputs: Inputs, order: dict[str, Any],
        wanted: Mapping[int, Wanted] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._session, self._recorder, self._order = session, recorder, order
        self._inputs, self._arguments, self._wanted = inputs, inputs.arguments, wanted
        # A recorder may write forged code into its compile cache. No other process uses it.
        self._settings = {key: value for key, value in order.items() if key != "cache"}
        if own_cache := self._settings.pop("own_cache", None):
            self._settings["cache"] = own_cache
        # Start the role again, because a child that recorded before must load the text again.
        recorder.role = ""
        self.of: dict[int, dict[str, Recorded]] = {}
        with ExitStack() as stack:
            self._stack = stack
            self._replayer: Child | None = None
            self._record_all(inputs.trials)

    def first_calls(self) -> list[tuple[Trial, Recorded]]:
        """Return the recording of each trial's first call."""
        return [(trial, self.of[trial.number]["first"]) for trial in self._inputs.trials]

    @property
    def every(self) -> list[Recorded]:
        """Return every recording once."""
        each = [recorded for by_mode in self.of.values() for recorded in by_mode.values()]
        return list({id(recorded): recorded for recorded in each}.values())

    def programs(self, trial: Trial) -> int:
        """Return the largest number of programs in a launch of the trial, 0 if its call raised."""
        recorded = self.of[trial.number]["first"]
        if recorded.raised is not None:
            return 0
        launches = read(recorded.program).every_instruction()
        return max((math.prod(one.grid) for one in launches if isinstance(one, Launch)), default=0)

    def summaries(self) -> dict[str, CallSummary]:
        """Return the kernels and torch operations of each first call, by layout of the inputs."""
        by_layout = {}
        for trial, first in self.first_calls():
            if first.raised is None and not first.reads:
                by_layout[layout(self._arguments[trial.number])] = summary_of(read(first.program))
        return by_layout

    def _record_all(self, trials: Sequence[Trial]) -> None:
        groups: dict[str, list[Trial]] = defaultdict(list)
        for trial in trials:
            groups[self._layout(trial)].append(trial)
        calls = []
        for group in groups.values():
            is_run_twice = any("second" in trial.modes for trial in group)
            calls += [self._call(group[0], ())] * (1 + is_run_twice)
        by_number: dict[int, list[Recorded]] = defaultdict(list)
        for call, recorded in zip(calls, self._record(calls), strict=True):
            by_number[call["trial"]].append(recorded)
        for group in groups.values():
            first, second = by_number[group[0].number][0], by_number[group[0].number][-1]
            for trial in group:
                by_mode = {"second": second, **dict.fromkeys(("first", "idle", *ORDERS), first)}
                if first.reads or second.reads:
                    # The program depends on numbers that the launcher reads.
                    by_mode = dict.fromkeys(by_mode, self._with_reads(trial, first))
                self.of[trial.number] = by_mode

    def _layout(self, trial: Trial) -> str:
        """Return a key of all that a recorder may know about the trial's inputs."""
        tree = self._arguments[trial.number]
        places = storages(tree)
        sizes = [len(self._inputs.blobs[place]) for place in places]

        def numbered(tensor: Json) -> Json:
            return {**tensor, "storage": places.index(tensor["storage"])}

        like = [mapped(tree, numbered, lambda value: value), sizes, trial.expands_gradients]
        return json.dumps(like)

    def _call(self, trial: Trial, known: Sequence[Json]) -> dict[str, Json]:
        places = storages(self._arguments[trial.number])
        sizes = {str(place): len(self._inputs.blobs[place]) for place in places}
        return {**self._inputs.request(trial), "sizes": sizes, "known": list(known)}

    def _record(self, calls: Sequence[Json]) -> Iterator[Recorded]:
        order = {**self._settings, "calls": list(calls)}
        answer = self._session.ask(self._recorder, "recorder", "record", order)
        if "error" in answer.header:
            words = f"triton_code: {raised(answer.header['error'])}"
            raise Stopped(Check("accuracy", Verdict.ERROR, words))
        recordings = [_recorded(reply, answer.blobs) for reply in answer.header["made"]]
        if len(recordings) != len(calls):
            raise ValueError("another number of recordings")
        return iter(recordings)

    def _with_reads(self, trial: Trial, recorded: Recorded) -> Recorded:
        """Record the call again, with answers to its reads of this trial's inputs."""
        # Record with invented numbers first, before the launcher knows the true ones.
        for attempt in range(INVENTIONS):
            other, other_known = self._answered(trial, recorded, attempt)
            if other.raised is None:
                break
        recorded, known = self._answered(trial, recorded)
        if recorded.raised is not None:
            return recorded
        true = Informed(read(recorded.program), recorded.blobs, known)
        informed = None
        if other.raised is None:
            informed = Informed(read(other.program), other.blobs, other_known)
        whole = self._whole_inputs(trial, true.program)
        computed = computes(self._order["triton_code"], true, informed, whole)
        return replace(recorded, computed={HOST_NUMBER: 1}) if computed else recorded

    def _answered(
        self, trial: Trial, recorded: Recorded, attempt: int | None = None
    ) -> tuple[Recorded, list[Json]]:
        """Record the call with answers to its reads. Return the recording and the answers.

        attempt: number of the attempt with invented answers; None for the true ones.
        """
        known: list[Json] = []
        while recorded.reads and recorded.raised is None:
            if len(known) == READS_MOST:
                words = f"it reads more than {READS_MOST} times what its tensors hold"
                return Recorded(None, (), {"type": "Unsupported", "text": words, "at": ""}), known
            program = read(recorded.program)
            (window,) = program.answer.windows()
            is_whole = window.storage in self._whole_inputs(trial, program)
            numbers: list[Any] | None = None
            if attempt is None or is_whole:
                reply = self._read(trial, recorded)
                if "error" in reply:
                    return Recorded(None, (), reply["error"], recorded.problems), known
                numbers = list(reply["numbers"])
            known.append(numbers if attempt is None else invented(window, numbers, attempt))
            (recorded,) = self._record([self._call(trial, known)])
        return recorded, known

    def _whole_inputs(self, trial: Trial, program: Program) -> set[int | None]:
        """Return the storages of integer inputs that the reference does not change."""
        given = list(tensors(self._arguments[trial.number]))
        fractions = {tensor["storage"] for tensor in given if is_fraction(tensor["dtype"])}
        other = fractions | set(
            wanted.mutated if (wanted := self._wanted.get(trial.number)) else ()
        )
        return {
            number
            for tensor, number in zip(given, program.inputs, strict=True)
            if tensor["storage"] not in other
        }

    def _read(self, trial: Trial, recorded: Recorded) -> Json:
        """Return the numbers that the launcher reads next, by a replay on the true inputs."""
        if self._replayer is None:
            self._replayer = self._stack.enter_context(self._session.candidate("replayer"))
        order, blobs = play_order([(trial, recorded)], self._inputs.alone([trial]))
        order = {**self._order, **order}
        return self._session.ask(self._replayer, "replayer", "numbers", order, blobs).header


def play_order(
    calls: Iterable[tuple[Trial, Recorded]], inputs: Inputs
) -> tuple[dict[str, list[Json]], list[memoryview]]:
    """Return a request to play recorded calls on the inputs of their trials, and its blobs.

    It contains each program once. The blobs of inputs keep their indices; constants are appended.
    """
    programs, runs = list[Json](), list[Json]()
    blobs, places = [*inputs.blobs], dict[int, int]()
    for trial, recorded in calls:
        if id(recorded) not in places:
            places[id(recorded)] = len(programs)
            programs.append({"program": recorded.program, "constants": len(blobs)})
            blobs += recorded.blobs
        runs.append({**inputs.request(trial), "program": places[id(recorded)]})
    return {"programs": programs, "runs": runs}, blobs


def _recorded(reply: Json, blobs: Sequence[memoryview]) -> Recorded:
    problems = {str(name)[:200]: int(count) for name, count in dict(reply["problems"]).items()}
    if "error" in reply:
        return Recorded(None, (), reply["error"], problems)
    reads, state = "reads" in reply, reply.get("state")
    return Recorded(reply["program"], blobs, None, problems, reads=reads, state=state)
