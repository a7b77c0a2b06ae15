"""Pairs through the harness and back: at the shell, in the admin, and after the tools changed."""

from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curation.errors import CurationError
from curation.identity import content_hash
from curation.models import Device, Outcome, Pair, Status, ValidationResult, ValidationRun, Verdict
from tests.factories import a_pair, a_validation_result, a_validation_run, sha
from tests.hostile.zoo.load import zoo
from validation.checkers import checkable
from validation.equivalence import finding
from validation.harness import report as harness_report
from validation.harness import schedule
from validation.harness.pool.worker_pool import WorkerPool
from validation.run_requests import without_verdict

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

ZOO = {entry.name: entry for entry in zoo()}


def from_the_zoo(name: str) -> Pair:
    entry = ZOO[name]
    return a_pair(
        entry_point=entry.entry_point,
        differentiable=entry.differentiable,
        python_code=entry.code.python_code,
        triton_code=entry.code.triton_code,
        test_code=entry.code.test_code,
    )


def call(*arguments: str, device: Device = Device.INTERPRETER) -> str:
    out = StringIO()
    call_command("validate", "--device", device, *arguments, stdout=out)
    return out.getvalue().strip()


# --- At the shell ---------------------------------------------------------------------------
@pytest.mark.any_database
def test_the_validate_command_checks_pairs() -> None:
    """The whole way, once, with real processes: a pair that is right and one that cheats."""
    honest, cheat = from_the_zoo("vector-add"), from_the_zoo("torch-computes.vector-add")

    said = call("--now")

    assert said.splitlines()[0] == "2 items: 1 passed, 1 not_triton."
    assert f"  1 not_triton at triton: pair:{cheat.pk} {cheat}" in said.splitlines()
    assert said.splitlines()[-1] == f"Results: /pairs/{cheat.pk}/?tab=results"
    right = ValidationResult.objects.get(pair=honest)
    assert right.content_hash == honest.content_hash
    assert right.figures["cases"] > 10
    assert right.figures["max_abs_error"] < 1
    assert right.run.environment["device"] == "interpreter"
    assert right.run.environment["sandbox"] in ("bubblewrap", "landlock")
    assert right.run.environment["triton"]
    checks = {check.name: check for check in right.checks.all()}
    assert checks["accuracy"].outcome == Outcome.PASSED
    assert checks["accuracy"].figures["cases"] == 6
    assert checks["gradients"].outcome == Outcome.SKIPPED
    wrong = ValidationResult.objects.get(pair=cheat)
    assert wrong.verdict == Verdict.NOT_TRITON
    assert wrong.checks.get(name="triton").outcome == Outcome.FAILED
    assert call("--now", "--pending") == "0 items: nothing to do."


@pytest.mark.slow
@pytest.mark.any_database
def test_a_pair_that_raises_before_a_launch_has_skipped_checks_and_no_errors(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "open_pool", lambda _: nullcontext(pool))
    pair = from_the_zoo("vector-add")
    pair.triton_code = f"{pair.triton_code}\n\ndef {pair.entry_point}(*_):\n    raise ValueError\n"
    pair.content_hash = content_hash(pair.python_code, pair.triton_code, pair.test_code)
    pair.save()

    call("--now")

    result = ValidationResult.objects.get()
    outcomes = dict(result.checks.values_list("name", "outcome"))
    not_run = {name for name, outcome in outcomes.items() if outcome == Outcome.SKIPPED}
    assert not_run == {"memory", "determinism", "triton", "bounds", "gradients", "compiles"}
    assert "max_abs_error" not in result.figures
    assert "share_of_allowed" not in result.checks.get(name="accuracy").figures


@pytest.mark.slow
@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="a GPU is there")
@pytest.mark.any_database
def test_without_a_gpu_a_cuda_validation_is_refused_and_stores_no_result() -> None:
    from_the_zoo("vector-add")

    with pytest.raises(CurationError, match="No kernel runs on the GPU: ") as told:
        call("--now", device=Device.CUDA)

    assert "\n" not in str(told.value)
    assert not ValidationResult.objects.exists()


def test_rejected_and_retired_pairs_are_not_validated() -> None:
    pending = a_pair()
    a_pair(status=Status.REJECTED)
    a_pair(status=Status.RETIRED)
    seen = a_pair()
    a_validation_result(pair=seen)

    assert set(without_verdict(checkable(), Device.INTERPRETER)) == {pending}


@pytest.mark.parametrize("verdict", harness_report.Verdict)
def test_every_harness_verdict_maps_to_a_result(verdict: harness_report.Verdict) -> None:
    check = harness_report.Check("accuracy", verdict, "said", {"cases": 3})
    report = harness_report.Report("1", verdict, "said", (check,), {"total": 2.0}, {})

    found = finding(report)

    assert found.verdict == Verdict(verdict.value)
    assert found.seconds == 2.0
    (made,) = found.checks
    assert (made.outcome == Outcome.PASSED) == (verdict is harness_report.Verdict.PASSED)


def test_the_timing_option_is_stored_with_the_run() -> None:
    from_the_zoo("vector-add")

    said = call("--timing", device=Device.CUDA)

    assert said.startswith("1 item in 1 run: queued")
    assert ValidationRun.objects.get().options == {"timing": True}


@pytest.mark.parametrize("option", ["--timing", "--sanitize"])
def test_speed_and_the_sanitizer_need_a_gpu(option: str) -> None:
    with pytest.raises(CommandError, match=f"^{option} needs a GPU"):
        call(option)


# --- After the tools changed ----------------------------------------------------------------
def seen(pair: Pair, triton: str, verdict: Verdict, **over: Any) -> None:
    run = a_validation_run(environment={"torch": "2.11", "triton": triton})
    values = {"content_hash": pair.content_hash, "message": f"said by {triton}"}
    a_validation_result(run=run, pair=pair, verdict=verdict, **values | over)


def test_verdicts_that_another_triton_changed_are_listed() -> None:
    broken, same, mended = a_pair(), a_pair(), a_pair()
    for pair, before, now in (
        (broken, Verdict.PASSED, Verdict.FAILED),
        (same, Verdict.PASSED, Verdict.PASSED),
        (mended, Verdict.ERROR, Verdict.PASSED),
    ):
        seen(pair, "3.6", before)
        seen(pair, "3.9", now)

    said = call("--changes").splitlines()

    assert said == [
        f"{broken.pk}: passed with torch 2.11, triton 3.6, "
        "failed with torch 2.11, triton 3.9: said by 3.9",
        f"{mended.pk}: error with torch 2.11, triton 3.6, "
        "passed with torch 2.11, triton 3.9: said by 3.9",
        "On Interpreter: 2 changed verdicts.",
    ]


def test_verdict_changes_ignore_other_content_and_equal_tools() -> None:
    edited, retried = a_pair(), a_pair()
    seen(edited, "3.6", Verdict.FAILED, content_hash=sha("before"))
    seen(edited, "3.9", Verdict.PASSED)
    seen(retried, "3.9", Verdict.TIMEOUT)
    seen(retried, "3.9", Verdict.PASSED)

    assert call("--changes") == "On Interpreter: 0 changed verdicts."
