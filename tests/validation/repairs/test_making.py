"""`make_repairs`: mistakes go through the harness, and the rejected ones are stored once."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curation.models import Device, Outcome, Pair, RepairTrace, Verdict
from tests.factories import a_pair, a_validation_result, a_validation_run
from validation.findings import Check, Finding
from validation.pairs.handwritten import LIBRARY
from validation.repairs.kinds import KINDS
from validation.repairs.plant import Attempt, Candidate, candidates
from validation.repairs.source import Source
from validation.repairs.store import passed_pairs

pytestmark = pytest.mark.django_db


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
    assert trace.why.startswith(f"Line {trace.line}, ")
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


def test_the_same_seed_gives_the_same_candidates() -> None:
    pairs = [a_passed_pair(name).pk for name in ("add", "divide", "subtract")]
    kind = KINDS["swapped-arguments"]

    def faults(seed: int) -> list[str]:
        return [candidate.fault.code for candidate in candidates(pairs, kind, seed)]

    assert len(faults(1)) == 3
    assert faults(1) == faults(1)
    assert any(faults(seed) != faults(1) for seed in range(2, 6))


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
    assert an_attempt(Finding(verdict, message)).is_kept is kept


def test_the_message_has_the_failed_checks_without_addresses() -> None:
    checks = (
        Check("accuracy", Outcome.FAILED, "4 wrong in <object at 0x7fc4e5acea40>"),
        Check("memory", Outcome.PASSED, "inputs are unchanged"),
    )

    attempt = an_attempt(Finding(Verdict.FAILED, "4 wrong", checks=checks))

    assert attempt.message == "accuracy: 4 wrong in <object>"


def an_attempt(finding: Finding) -> Attempt:
    pair = a_passed_pair()
    kind = KINDS["wrong-grid"]
    fault = next(kind.faults(Source(pair.triton_code)))
    return Attempt(Candidate(pair, kind, fault), finding)
