"""Failed items of a run are queued again, once, and the new run links to the old one."""

from collections.abc import Callable
from typing import Any

import django_rq
import pytest
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.cancel import cancel
from curation.jobs.retry import NotRetried, retry
from curation.models import (
    Device,
    ExportRun,
    IngestRun,
    Pair,
    Run,
    RunState,
    ValidationRun,
    Verdict,
)
from tests import factories as make
from tests.probes import at_once
from validation.run_requests import queue_uncompiled, request_validation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue_redis")]


def ended(a_run: Callable[..., Any], state: RunState = RunState.FAILED, **over: Any) -> Any:
    return a_run(state=state, finished_at=timezone.now(), **over)


def with_verdicts(*verdicts: Verdict | None, state: RunState = RunState.FAILED) -> ValidationRun:
    """An ended run over as many pairs, with these verdicts; None is a pair without a result."""
    pairs = [make.a_pair() for _ in verdicts]
    [run] = request_validation(pairs, device=Device.INTERPRETER, hand_over=False)
    for pair, verdict in zip(pairs, verdicts, strict=True):
        if verdict is not None:
            make.a_validation_result(run=run, pair=pair, verdict=verdict)
    ValidationRun.objects.filter(pk=run.pk).update(state=state, finished_at=timezone.now())
    run.refresh_from_db()
    return run


def positions(old: ValidationRun, new: ValidationRun) -> list[int]:
    """Which items of the old run are in the new one."""
    keys = [key for _, key, _ in old.batch]
    return [keys.index(key) for _, key, _ in new.batch]


def test_retrying_a_failed_ingest_keeps_its_options() -> None:
    old, ada = ended(make.an_ingest_run, again=True), make.a_curator(username="ada")

    new = retry(old, by=ada)

    assert isinstance(new, IngestRun)
    assert (new.repository, new.again, new.state) == (old.repository, True, "queued")
    assert (new.retry_of, new.requested_by) == (old, ada)
    assert django_rq.get_queue("ingest").get_job_ids() == [new.job_id]


def test_retrying_a_cancelled_export_keeps_its_options() -> None:
    old = make.an_export_run(options={"seed": 7}, requested_by=make.a_curator())
    cancel(old)

    new = retry(old)

    assert isinstance(new, ExportRun)
    assert (new.options["seed"], new.retry_of) == (7, old)


@pytest.mark.parametrize(("failed", "retried"), [(False, [1, 2]), (True, [1, 2, 3, 4, 5])])
def test_a_validation_retry_covers_lost_items_and_bad_verdicts_on_request(
    failed: bool, retried: list[int]
) -> None:
    bad = (Verdict.CRASHED, Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT)
    old = with_verdicts(Verdict.PASSED, None, *bad, Verdict.NOT_TRITON)

    new = retry(old, failed=failed)

    assert positions(old, new) == retried
    assert (new.retry_of, new.device, new.total) == (old, old.device, len(retried))


def test_a_compile_run_retry_covers_its_kernels() -> None:
    kernels = [make.a_kernel(), make.a_kernel()]
    [old] = request_validation(kernels, device=Device.COMPILER, hand_over=False)
    make.a_validation_result(run=old, kernel=kernels[0])
    cancel(old)

    new = retry(old)

    assert (new.kind, [key for _, key, _ in new.batch]) == ("compile", [kernels[1].pk])


def test_an_item_with_a_result_from_an_earlier_retry_is_not_retried() -> None:
    old = with_verdicts(None, None)
    first = retry(old)
    pair = Pair.objects.get(pk=old.batch[0][1])
    make.a_validation_result(run=first, pair=pair, verdict=Verdict.PASSED)
    cancel(first)

    assert positions(old, retry(old)) == [1]


def test_a_run_with_results_for_all_items_can_not_be_retried() -> None:
    run = with_verdicts(Verdict.PASSED, Verdict.FAILED, state=RunState.SUCCEEDED)

    with pytest.raises(CurationError, match="every item has a result"):
        retry(run)

    assert ValidationRun.objects.count() == 1


@pytest.mark.parametrize("a_run", [make.an_ingest_run, make.an_export_run])
def test_a_run_that_succeeded_is_not_retried(a_run: Callable[..., Run]) -> None:
    with pytest.raises(CurationError, match="there is nothing to retry"):
        retry(ended(a_run, RunState.SUCCEEDED))


def test_an_unfinished_run_can_not_be_retried() -> None:
    with pytest.raises(NotRetried, match="is queued: cancel it first"):
        retry(make.a_validation_run())


@pytest.mark.parametrize("kind", ["ingest", "validation", "export"])
def test_a_double_click_makes_one_run(kind: str) -> None:
    makers: dict[str, Callable[[], Any]] = {
        "ingest": lambda: ended(make.an_ingest_run),
        "validation": lambda: with_verdicts(None),
        "export": lambda: ended(make.an_export_run),
    }
    old = makers[kind]()

    made = at_once([lambda: retry(type(old)._default_manager.get(pk=old.pk))] * 4)

    assert len(made) == 4
    assert len({run.pk for run in made}) == 1
    assert type(old)._default_manager.count() == 2


def test_the_scheduler_does_not_queue_what_a_person_has_just_cancelled() -> None:
    kernel = make.a_kernel()
    [run] = request_validation([kernel], device=Device.COMPILER)

    cancel(run)

    assert queue_uncompiled() == 0
