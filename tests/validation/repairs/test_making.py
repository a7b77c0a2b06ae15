"""`make_repairs`: mistakes go through the harness, and the rejected ones are stored once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from curation.models import Device, Outcome, Pair, RepairTrace, Verdict
from tests.factories import a_pair, a_validation_result, a_validation_run
from validation.findings import FindingCheck, ItemFinding
from validation.pairs.handwritten import LIBRARY
from validation.repairs.kinds import KINDS
from validation.repairs.plant import AT_ONCE, PATIENCE, JudgedFault, PossibleFault, plant
from validation.repairs.source import ParsedText
from validation.repairs.store import passed_pairs, store, stored_traces

pytestmark = pytest.mark.django_db
REJECTION = ItemFinding(
    Verdict.FAILED, "wrong", checks=(FindingCheck("accuracy", Outcome.FAILED, "case 0: wrong"),)
)


def a_passed_pair(folder: str = "divide", verdict: str = "passed", **over: Any) -> Pair:
    """A pair of the library with a validation in the interpreter."""
    texts = {
        name: (LIBRARY / folder / f"{name}.py").read_text()
        for name in ("python_code", "triton_code", "test_code")
    }
    pair = a_pair(entry_point=folder, origin="manual", **texts, **over)
    run = a_validation_run(device=Device.INTERPRETER)
    a_validation_result(run=run, pair=pair, content_hash=pair.content_hash, verdict=verdict)
    return pair


def call(*arguments: str) -> str:
    out = StringIO()
    call_command("make_repairs", "--device", "interpreter", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.any_database
@pytest.mark.slow
def test_a_rejected_mistake_is_stored_once_with_the_harnesss_words() -> None:
    pair = a_passed_pair()

    first = call("--kind", "wrong-grid", "--count", "1")
    second = call("--kind", "wrong-grid", "--count", "1")

    trace = RepairTrace.objects.get()
    assert (trace.pair, trace.content_hash, trace.kind) == (pair, pair.content_hash, "wrong-grid")
    assert trace.verdict == Verdict.FAILED
    assert "accuracy: case" in trace.message
    assert trace.why.startswith("The mistake is in `")
    assert "1 trace stored" in first
    assert "0 traces stored, 1 known before" in second


def test_only_pairs_whose_newest_validation_passed_are_used() -> None:
    passed = a_passed_pair()
    later = a_passed_pair("add")
    a_validation_result(
        run=a_validation_run(device=Device.INTERPRETER), pair=later,
        content_hash=later.content_hash, verdict="failed",
    )  # fmt: skip
    a_passed_pair("subtract", verdict="error")

    assert passed_pairs(Device.INTERPRETER) == [passed.pk]
    assert passed_pairs(Device.CUDA) == []


def test_without_passed_pairs_the_command_names_the_next_command() -> None:
    with pytest.raises(CommandError, match="validate --pending --device interpreter --now"):
        call()


def make(pairs: list[int], *kinds: str, count: int = 100, seed: int = 1) -> list[JudgedFault]:
    """Attempts of mistakes that a harness rejects each."""

    def reject(candidates: Sequence[PossibleFault]) -> Iterator[tuple[PossibleFault, ItemFinding]]:
        return ((candidate, REJECTION) for candidate in candidates)

    chosen = [KINDS[name] for name in kinds]
    attempts = []
    for attempt in plant(pairs, chosen, count, seed, reject, stored_traces()):
        store(attempt, Device.INTERPRETER)
        attempts.append(attempt)
    return attempts


def test_the_same_seed_plants_the_same_mistakes() -> None:
    pairs = [a_passed_pair(name).pk for name in ("matmul", "divide", "fused-softmax")]

    def faults(seed: int) -> list[str]:
        return [attempt.candidate.fault.code for attempt in _planted(pairs, seed)]

    assert len(faults(1)) == 3
    assert faults(1) == faults(1)
    assert any(faults(seed) != faults(1) for seed in range(2, 6))


def _planted(pairs: list[int], seed: int) -> list[JudgedFault]:
    with transaction.atomic():
        attempts = make(pairs, "swapped-arguments", seed=seed)
        transaction.set_rollback(True)
    return attempts


def test_a_run_goes_on_where_an_interrupted_one_ended() -> None:
    pairs = [a_passed_pair(name).pk for name in ("matmul", "sum-along-axis", "fused-softmax")]
    kinds = ("wrong-grid", "skipped-block", "mask-off-by-one", "missing-constexpr")
    make(pairs, *kinds, count=4)

    later = make(pairs, *kinds, count=7)

    assert len(later) == 3
    traces = RepairTrace.objects.all()
    assert len({(trace.pair_id, trace.kind) for trace in traces}) == traces.count() == 7


def test_a_rare_kind_gets_its_places_and_no_kind_twice_its_share() -> None:
    folders = ("add", "subtract", "matmul", "fused-softmax", "sum-along-axis", "scatter-add")
    pairs = [a_passed_pair(name).pk for name in folders]

    made = make(pairs, "racing-store", "missing-constexpr", count=6)

    kinds = Counter(attempt.candidate.kind.name for attempt in made)
    assert kinds["racing-store"] == 1
    assert kinds["missing-constexpr"] <= 6


def test_the_same_mistake_is_not_planted_in_near_duplicates() -> None:
    first, near = a_passed_pair("add"), a_passed_pair("subtract")

    made = make([first.pk, near.pk], "wrong-grid")

    assert len(made) == 1


def test_a_kind_whose_mistakes_pass_gets_no_more_turns() -> None:
    folders = sorted(path.parent.name for path in LIBRARY.glob("*/python_code.py"))[:20]
    pairs = [a_passed_pair(name).pk for name in folders]

    def accept(candidates: Sequence[PossibleFault]) -> Iterator[tuple[PossibleFault, ItemFinding]]:
        return ((candidate, ItemFinding(Verdict.PASSED, "passed")) for candidate in candidates)

    made = list(plant(pairs, [KINDS["missing-load-mask"]], 100, 1, accept, ()))

    assert PATIENCE <= len(made) < PATIENCE + AT_ONCE


@pytest.mark.parametrize(
    ("verdict", "message", "kept"),
    [
        (Verdict.FAILED, "3 tests fail", True),
        (Verdict.ERROR, "raised", True),
        (Verdict.PASSED, "8 checks pass", False),
        (Verdict.TIMEOUT, "took too long", False),
        (Verdict.CRASHED, "killed by SIGABRT", True),
        (Verdict.CRASHED, "killed by SIGKILL", False),
    ],
)
def test_only_verdicts_that_show_a_wrong_kernel_are_kept(
    verdict: Verdict, message: str, kept: bool
) -> None:
    assert an_attempt(ItemFinding(verdict, message)).is_kept is kept


def test_the_message_has_the_failed_checks_without_addresses() -> None:
    checks = (
        FindingCheck("accuracy", Outcome.FAILED, "4 wrong in <object at 0x7fc4e5acea40>"),
        FindingCheck("memory", Outcome.PASSED, "inputs are unchanged"),
    )

    attempt = an_attempt(ItemFinding(Verdict.FAILED, "4 wrong", checks=checks))

    assert attempt.message == "accuracy: 4 wrong in <object>"


def test_an_error_of_the_interpreter_is_named_by_its_own_words_and_once() -> None:
    outside = "reads 1 element outside of every tensor"
    wrapped = """InterpreterError('ValueError("axis 1 out of bounds for shape [\\'16\\']")')"""
    axis = FindingCheck("accuracy", Outcome.FAILED, f"case 0: raised InterpreterError: {wrapped}")
    address = FindingCheck(
        "accuracy", Outcome.FAILED, f"case 0: raised InterpreterError: OutOfBounds('{outside}')"
    )
    bounds = FindingCheck("bounds", Outcome.FAILED, f"case 0: {outside}")

    def message(*checks: FindingCheck) -> str:
        return an_attempt(ItemFinding(Verdict.FAILED, "", checks=checks)).message

    assert message(axis) == (
        "accuracy: case 0: raised ValueError: axis 1 out of bounds for shape ['16']"
    )
    assert message(address, bounds) == f"bounds: case 0: {outside}"


def an_attempt(finding: ItemFinding) -> JudgedFault:
    pair = a_passed_pair()
    kind = KINDS["wrong-grid"]
    fault = next(kind.faults(ParsedText(pair.triton_code)))
    return JudgedFault(PossibleFault(pair, kind, fault), finding)
