"""Whatever bytes come out of a sandbox, they are a verdict of the program that wrote them.

`FUZZED_ANSWERS=2000` asks for more examples than the usual.
"""

import json
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.pairs.draft import OURS, PairDraft
from tests.hostile.strange_json import INFINITY, STRANGE, mutated, written
from tests.hostile.zoo.load import honest_entries
from validation import compiling, equivalence
from validation.compile import Environment
from validation.compile.judge import read_launch, read_outcome
from validation.findings import ItemFinding
from validation.harness.entry import Entry, parse
from validation.harness.examine import Examination
from validation.harness.options import Options
from validation.harness.pool.channel import MAGIC, Channel, memory_file, write_parcel
from validation.harness.pool.children import (
    Child,
    ChildAnswer,
    ChildEnded,
    Closed,
    DeadlinePassed,
    Forged,
)
from validation.harness.pool.fork_server import ForkServer
from validation.harness.pool.questions import Reply, read_answer
from validation.harness.pool.worker_pool import GpuSick, WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.sandbox import UnreadableJson, read_json
from validation.harness.schedule import examine_entry
from validation.pairs.inductor.generation import came_of
from validation.pairs.inductor.whole.model_sources import Whole
from validation.pairs.inductor.whole.splitting import SplitModel, read_splits

pytestmark = pytest.mark.slow

fuzzed = settings(max_examples=int(os.environ.get("FUZZED_ANSWERS", "200")))

COMPILED = {
    "answer": "compiles", "reason": None, "message": "", "signature": {"x": "*fp32"},
    "constants": {"BLOCK": "64"}, "attempts": 1, "flips": 0, "stages": ["ttir", "ptx"],
    "seconds": 0.0, "imports": True,
}  # fmt: skip
LAUNCHED = {"launched": True, "message": ""}
HEADER = {"text": json.dumps(COMPILED), "seconds": 0.5}
TRACED = {"module": "x = 1", "numbers": {"1": 2}, "single": True, "cases": "[{'n': 1}]"}
MODELS = {
    "models": [
        ["Model", {
            "groups": 2, "reasons": {"sort": 1},
            "made": [{
                "module": "Block", "operations": ["add"], "arguments": ["x [m, 4] normal"],
                "lines": ["return x + 1"],
            }],
        }],
    ],
}  # fmt: skip
ENVIRONMENT = Environment(triton="3.5.1", target="cuda:90", sandbox="bubblewrap")


def assert_storable(finding: ItemFinding) -> None:
    """As a database takes it."""
    for text in (finding.message, *(check.message for check in finding.checks)):
        assert "\0" not in text
        text.encode()
    for figures in (finding.figures, *(check.figures for check in finding.checks)):
        text = json.dumps(dict(figures), allow_nan=False, ensure_ascii=False)
        assert "\\u0000" not in text
        text.encode()


# --- The reader -----------------------------------------------------------------------------
@fuzzed
@given(written(STRANGE), st.booleans())
def test_read_json_returns_a_bounded_value_or_raises_a_sentence(
    data: bytes, verbatim: bool
) -> None:
    try:
        value = read_json(data, 5_000, verbatim=verbatim)
    except UnreadableJson as error:
        assert str(error)
        return
    assert len(data) <= 5_000
    assert _depth(value) <= 50
    if not verbatim:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        assert "\\u0000" not in text
        text.encode()


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


# --- The compiler's worker ------------------------------------------------------------------
def found(said: Reply) -> ItemFinding:
    outcome = read_outcome(said)
    return compiling.finding(outcome, ENVIRONMENT, read_launch(said))


@fuzzed
@given(mutated(HEADER) | STRANGE)
def test_whatever_a_process_hands_over_is_a_reply(header: Any) -> None:
    assert_storable(found(read_answer(header)))


@fuzzed
@given(written(mutated(COMPILED) | mutated(LAUNCHED) | STRANGE))
def test_any_answer_of_a_child_gives_a_storable_verdict(data: bytes) -> None:
    said = read_answer({**HEADER, "text": data.decode(errors="replace")})

    assert_storable(found(said))


@fuzzed
@given(mutated(TRACED) | STRANGE)
def test_any_answer_of_inductor_gives_a_text(answer: Any) -> None:
    draft = PairDraft(
        entry_point="f", python_code="def f(x, n):\n    return x\n", test_code="CASES = []\n",
        triton_code="", origin="inductor", operation_type="element-wise", difficulty="",
        source=OURS,
    )  # fmt: skip

    came = came_of(draft, Reply(answer))

    assert isinstance(came, str)
    came.encode()


@fuzzed
@given(mutated(MODELS) | STRANGE)
def test_any_answer_of_a_model_gives_splits_with_texts(answer: Any) -> None:
    for split in read_splits(Whole("file", "Model", OURS), Reply(answer), set()):
        assert isinstance(split, SplitModel)
        f"{split.name} {split.trouble} {split.reasons}".encode()


# --- The harness ----------------------------------------------------------------------------
@contextmanager
def a_child() -> Iterator[tuple[Child, socket.socket]]:
    """The judge's end of a child that has ended, and the socket that it could write to."""
    fork_server = ForkServer("interpreter", memory=1 << 30, cpu_seconds=9, level=None, processes=9)
    ours, theirs = Channel.pair()
    child = Child(fork_server, 1, ours)
    child._over.set()
    try:
        yield child, theirs.socket
    finally:
        ours.close()
        theirs.close()


@fuzzed
@given(written(mutated({"done": "0123"}) | STRANGE))
def test_foreign_bytes_on_the_channel_of_a_child_are_detected(data: bytes) -> None:
    with a_child() as (child, theirs):
        theirs.send(data[:60_000])
        if not data:
            theirs.close()
        with pytest.raises((Forged, ChildEnded)):
            child.ask("author", "cases", {}, 5.0)


@fuzzed
@given(written(mutated([[{"runs": []}, False], [3, 0]]) | STRANGE), st.booleans())
def test_a_result_with_random_bytes_is_an_answer_or_forged(data: bytes, framed: bool) -> None:
    result = memory_file("result")
    with a_child() as (child, _):
        os.pwrite(result, MAGIC + struct.pack("<Q", len(data)) + data if framed else data, 0)
        try:
            answer = child._read(result)
        except Forged as error:
            str(error).encode()
        else:
            assert not any(map(len, answer.blobs))
        finally:
            os.close(result)


class Recorded:
    """The answers that a real run gave about an entry, in their order."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.answers: list[tuple[Any, list[bytes]]] = []

    def keep(self, answer: ChildAnswer) -> ChildAnswer:
        self.answers.append((deepcopy(answer.header), [bytes(blob) for blob in answer.blobs]))
        return answer


class ReplayingCrew(WorkerPool):
    """Children that answer what was recorded, one answer of which is another."""

    def __init__(
        self, answers: Sequence[tuple[Any, list[bytes]]], changed: int = -1, header: Any = None
    ) -> None:
        super().__init__(Options(jobs=1))
        self._left = iter(enumerate(answers))
        self._changed, self._header = changed, header

    def environment(self) -> dict[str, str]:
        return {}

    @contextmanager
    def reference(self) -> Iterator[Child]:
        with a_child() as (child, __):
            child.ask = self._answer  # type: ignore[method-assign]
            yield child

    @contextmanager
    def candidate(self, role: str, *, alone: bool) -> Iterator[Child]:
        with self.reference() as child:
            yield child

    def _answer(self, *order: Any, **more: Any) -> ChildAnswer:
        place, (header, blobs) = next(self._left, (-1, (None, [])))
        if place < 0:
            raise DeadlinePassed
        result = memory_file("result")
        try:
            write_parcel(result, [self._header if place == self._changed else header, False], blobs)
            with a_child() as (child, _):
                return child._read(result)
        finally:
            os.close(result)


@pytest.fixture(scope="module")
def recorded(pool: WorkerPool) -> Recorded:
    (zoo_entry,) = (entry for entry in honest_entries() if entry.name == "row-argmax")
    kept = Recorded(parse(zoo_entry.record(), "entry"))
    asked = Child.ask
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Child, "ask", lambda *a, **k: kept.keep(asked(*a, **k)))
        report = examine_entry(kept.entry, pool)
    assert report.verdict is Verdict.PASSED, report.message
    return kept


def replayed(recorded: Recorded, changed: int = -1, header: Any = None) -> Report:
    pool = ReplayingCrew(recorded.answers, changed, header)
    return examine_entry(recorded.entry, pool)


def test_the_recorded_answers_of_an_entry_pass(recorded: Recorded) -> None:
    assert replayed(recorded).verdict is Verdict.PASSED


def test_a_time_that_is_not_finite_is_stored_as_none(recorded: Recorded) -> None:
    def endless(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {k: INFINITY if k == "seconds" else endless(v) for k, v in tree.items()}
        return [endless(part) for part in tree] if isinstance(tree, list) else tree

    pool = ReplayingCrew([(endless(header), blobs) for header, blobs in recorded.answers])
    finding = equivalence.finding(examine_entry(recorded.entry, pool))

    assert finding.figures["kernel_seconds"] is None
    assert_storable(finding)


@pytest.mark.parametrize("fault", [RecursionError("too deep"), RuntimeError("half of \ud800")])
def test_an_internal_error_of_the_judge_gives_the_entry_a_crashed_verdict(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    monkeypatch.setattr(Examination, "_examine", raising(fault))

    report = replayed(recorded)

    assert report.verdict is Verdict.CRASHED
    assert report.message.startswith(f"the judge failed on this entry: {type(fault).__name__}: ")
    assert_storable(equivalence.finding(report))


@pytest.mark.parametrize("fault", [GpuSick("sick"), Closed(), OSError(28, "disk full")])
def test_an_error_of_the_machine_gives_no_verdict(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    monkeypatch.setattr(Examination, "_examine", raising(fault))

    with pytest.raises(type(fault)):
        replayed(recorded)


def raising(fault: Exception) -> Callable[[Examination], NoReturn]:
    def examine(_: Examination) -> NoReturn:
        raise fault

    return examine


@fuzzed
@given(data=st.data())
def test_any_answer_of_a_process_gives_its_entry_a_storable_verdict(
    recorded: Recorded, data: st.DataObject
) -> None:
    changed = data.draw(st.integers(0, len(recorded.answers) - 1))
    header = data.draw(mutated(recorded.answers[changed][0]))

    report = replayed(recorded, changed, header)

    assert report.id == recorded.entry.id
    assert report.message
    assert_storable(equivalence.finding(report))
