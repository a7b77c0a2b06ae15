"""From a request for a validation to its rows: each item once, bound to the content it saw."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curation.jobs.attempt import claim
from curation.models import (
    Device,
    Kernel,
    Kind,
    Language,
    Outcome,
    RunState,
    Status,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.web.rows import compile_verdict
from tests.factories import (
    a_kernel,
    a_pair,
    a_provenance,
    a_repository,
    a_source_file,
    a_validation_result,
    a_validation_run,
    sha,
)
from tests.validation.compile import kernels
from tests.validation.plugged_checker import PluggedChecker
from validation import checkers
from validation.checkers import Checker, NoChecker, compilable
from validation.jobs import validate
from validation.run_requests import queue_uncompiled, request_validation, without_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> PluggedChecker:
    """Stands for any device but the compiler: the mapping is where one plugs in."""
    checker = PluggedChecker()
    monkeypatch.setitem(checkers.CHECKERS, Device.CUDA, checker.plug())
    return checker


def a_run(*items: Kernel) -> ValidationRun:
    (run,) = request_validation(items, device=Device.CUDA, hand_over=False)
    return run


# --- The job --------------------------------------------------------------------------------
def test_each_item_gets_a_result_and_its_checks(counting: PluggedChecker) -> None:
    one, other = a_kernel(), a_kernel()
    run = a_run(one, other)

    validate(run.pk)

    run.refresh_from_db()
    assert (run.state, run.done, run.total) == (RunState.SUCCEEDED, 2, 2)
    assert run.environment == {"made": "for tests"}
    results = ValidationResult.objects.order_by("kernel_id")
    assert [r.content_hash for r in results] == [one.content_hash, other.content_hash]
    assert ValidationCheck.objects.filter(name="equal", outcome=Outcome.PASSED).count() == 2


def test_a_validation_claimed_by_another_worker_is_not_run(counting: PluggedChecker) -> None:
    run = a_run(a_kernel())
    claim(ValidationRun, run.pk)

    validate(run.pk)

    assert counting.asked == []


def test_a_worker_that_lost_its_lease_stores_no_result(
    counting: PluggedChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(a_kernel())

    def steal(options: Mapping[str, Any]) -> Any:
        ValidationRun.objects.update(state=RunState.QUEUED, attempt_token=None, lease_until=None)
        claim(ValidationRun, run.pk)
        return counting.open(options)

    plugged = Checker(model=Kernel, eligible=compilable, open=steal)
    monkeypatch.setitem(checkers.CHECKERS, Device.CUDA, plugged)

    validate(run.pk)

    assert not ValidationResult.objects.exists()
    assert ValidationRun.objects.get().state == RunState.RUNNING


def test_an_item_changed_since_the_request_is_not_validated(counting: PluggedChecker) -> None:
    kernel = a_kernel()
    run = a_run(kernel)
    Kernel.objects.update(content_hash=sha("changed"))

    validate(run.pk)

    assert counting.asked == []
    assert ValidationRun.objects.get().state == RunState.SUCCEEDED


def test_a_device_without_a_checker_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(checkers.CHECKERS, Device.INTERPRETER)
    with pytest.raises(NoChecker, match="“interpreter”"):
        request_validation([a_kernel()], device=Device.INTERPRETER)


# --- Requests -------------------------------------------------------------------------------
def test_a_validation_run_has_a_bounded_number_of_items(counting: PluggedChecker) -> None:
    batch = checkers.CHECKERS[Device.CUDA].batch
    items = [a_kernel() for _ in range(batch + 1)]

    runs = request_validation(items, device=Device.CUDA, hand_over=False)

    assert [run.total for run in runs] == [batch, 1]


def test_a_verdict_counts_only_for_its_content_and_device() -> None:
    seen, other_device, older_content = a_kernel(), a_kernel(), a_kernel()
    run = a_validation_run(
        device=Device.COMPILER, state=RunState.CANCELLED, finished_at="2026-01-01T00:00Z"
    )
    a_validation_result(run=run, kernel=seen)
    a_validation_result(kernel=other_device)
    a_validation_result(run=run, kernel=older_content, content_hash=sha("older"))

    found = without_verdict(compilable(), Device.COMPILER)

    assert set(found) == {other_device, older_content}


def test_the_scheduler_queues_each_new_compilable_kernel_once(queue_redis: object) -> None:
    for over in (
        {"kind": Kind.HELPER},
        {"language": Language.GLUON},
        {"language": Language.PALLAS},
        {"standalone": False},
        {"status": Status.RETIRED},
    ):
        a_kernel(**over)
    kernel = a_kernel()

    assert (queue_uncompiled(), queue_uncompiled()) == (1, 0)

    run = ValidationRun.objects.get()
    assert run.device == Device.COMPILER
    assert run.batch == [["kernel", kernel.pk, kernel.content_hash]]


def test_the_scheduler_queues_no_compile_run_after_a_failed_one(queue_redis: object) -> None:
    a_kernel()
    queue_uncompiled()
    attempt = claim(ValidationRun, ValidationRun.objects.get().pk)
    assert attempt
    attempt.fail("no sandbox here")

    assert queue_uncompiled() == 0


def test_the_scheduler_queues_no_compile_run_with_a_batch_size_of_zero(settings: Any) -> None:
    settings.COMPILES_AT_ONCE = 0
    a_kernel()

    assert queue_uncompiled() == 0


# --- The command ----------------------------------------------------------------------------
def call(*arguments: str) -> str:
    out = StringIO()
    call_command("validate", *arguments, stdout=out)
    return out.getvalue().strip()


@pytest.mark.any_database
def test_the_validate_command_compiles_kernels() -> None:
    """The whole way, once, with a real compiler: a kernel that compiles and two that can't."""
    bad = a_kernel(name="kernel", standalone_source=kernels.program("old_language"))
    a_kernel(name="kernel", standalone_source=kernels.LOST_MODULE)
    good = a_kernel(name="kernel", standalone_source=kernels.ADD)
    helper = a_kernel(name="kernel", kind=Kind.HELPER)

    said = call("--now")

    assert said.splitlines()[0] == "3 items: 1 passed, 2 failed."
    assert "1 failed at import: kernel:" in said
    assert f"1 failed at ttir: kernel:{bad.pk} kernel" in said
    assert said.splitlines()[-1] == "Results: /find?items=kernels&validation=failed"
    verdict = compile_verdict(good)
    assert verdict
    assert verdict.verdict == Verdict.PASSED
    assert verdict.message.startswith("compiles (triton ")
    assert verdict.figures["signature"]["x"] == "*fp32"
    assert verdict.run.environment["target"] == "cuda:90"
    names = [check.name for check in verdict.checks.all()]
    assert names == ["import", "ttir", "ptx", "cubin", "launch"]
    refused = compile_verdict(bad)
    assert refused
    assert refused.verdict == Verdict.FAILED
    assert "trans_b" in refused.message
    assert compile_verdict(helper) is None
    assert call("--now") == "0 items: nothing to do."


def test_the_next_call_finishes_a_run_that_was_interrupted(counting: PluggedChecker) -> None:
    kernel = a_kernel()
    [run] = request_validation([kernel], device=Device.CUDA, hand_over=False)

    assert call("--device", "cuda", "--now") == "1 item: 1 passed."
    run.refresh_from_db()
    assert run.state == RunState.SUCCEEDED
    assert counting.asked == [kernel.pk]


@pytest.mark.slow
@pytest.mark.any_database
def test_validating_a_helper_by_name_explains_why_it_is_unsupported() -> None:
    helper = a_kernel(kind=Kind.HELPER)

    assert call(f"kernel:{helper.pk}", "--now").splitlines() == [
        "1 item: 1 unsupported.",
        f"  1 unsupported: kernel:{helper.pk} {helper}",
        "      undecided: a helper has no signature to launch with",
        f"Results: /kernels/{helper.pk}/",
    ]

    verdict = compile_verdict(helper)
    assert verdict
    assert verdict.message == "undecided: a helper has no signature to launch with"


def test_a_validation_can_be_limited_to_a_source(counting: PluggedChecker) -> None:
    kernel = a_kernel()
    a_kernel()
    source = a_repository(name="some/source")
    a_provenance(kernel=kernel, source_file=a_source_file(repository=source))

    assert call("--device", "cuda", "--repository", "some/source", "--now") == "1 item: 1 passed."
    assert counting.asked == [kernel.pk]
    with pytest.raises(CommandError, match="not among the sources"):
        call("--repository", "nobody/knows")


def test_an_unknown_item_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="There is no kernel 12345"):
        call("kernel:12345")


def test_a_bare_number_is_refused_with_both_forms() -> None:
    a_pair()

    with pytest.raises(CommandError, match="write pair:118 or kernel:118"):
        call("118")
    assert not ValidationRun.objects.exists()


def test_a_named_pair_is_checked_on_a_device_for_pairs(
    counting: PluggedChecker, settings: Any
) -> None:
    settings.VALIDATION_DEVICE = "cuda"
    pair = a_pair()

    with pytest.raises(CommandError, match="A pair can't be checked by --device compiler"):
        call(f"pair:{pair.pk}", "--device", "compiler")
    with pytest.raises(CommandError, match="Name kernels or pairs, not both"):
        call(f"pair:{pair.pk}", "kernel:1")


def test_gpu_is_another_name_of_cuda(counting: PluggedChecker) -> None:
    a_kernel()

    assert call("--device", "gpu", "--now") == "1 item: 1 passed."


def test_an_unknown_device_is_refused_with_the_list_of_devices() -> None:
    with pytest.raises(CommandError) as told:
        call("--device", "tpu")

    # Python 3.11 quotes each.
    assert "choose from cuda, interpreter, compiler" in str(told.value).replace("'", "")


def test_without_now_the_validation_is_queued(queue_redis: object) -> None:
    a_kernel()

    assert call("--all") == (
        "1 item in 1 run: queued; no worker is running: start manage.py up, or add --now."
    )
    assert ValidationRun.objects.get().state == RunState.QUEUED
