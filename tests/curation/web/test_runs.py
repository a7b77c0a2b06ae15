"""The pages and commands of runs: what they list, what their buttons do, and what they cost."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import redis
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.cancel import cancel
from curation.models import Device, ExportRun, IngestRun, Run, RunState, ValidationRun, Verdict
from curation.web.runs import find_run, items_of, newest, running
from tests import factories as make
from tests.probes import output_of, pages_of, queries_of

pytestmark = pytest.mark.django_db


def ended(a_run: Callable[..., Any], state: RunState = RunState.SUCCEEDED, **over: Any) -> Any:
    return a_run(state=state, finished_at=timezone.now(), **over)


def checked(*verdicts: Verdict | None) -> ValidationRun:
    pairs = [make.a_pair() for _ in verdicts]
    batch = make.batch(*pairs)
    run: ValidationRun = ended(
        make.a_validation_run, RunState.FAILED, total=len(pairs), batch=batch
    )
    for pair, verdict in zip(pairs, verdicts, strict=True):
        if verdict:
            make.a_validation_result(run=run, pair=pair, verdict=verdict)
    return run


def labels(runs: list[Run]) -> list[str]:
    return [run.label for run in runs]


def text(browser: Client, url: str) -> str:
    return browser.get(url, follow=True).content.decode()


def told(*arguments: str, **options: Any) -> list[str]:
    return output_of(*arguments, **options).splitlines()


# --- The list -------------------------------------------------------------------------------
def test_runs_of_all_kinds_are_in_one_list_with_the_newest_first() -> None:
    runs = [
        make.an_ingest_run(), make.a_validation_run(), make.an_export_run(),
        make.a_validation_run(device=Device.COMPILER), make.an_ingest_run(),
    ]  # fmt: skip

    assert labels(newest().runs) == labels(runs)[::-1]


def test_each_run_is_on_one_page_even_with_equal_timestamps() -> None:
    for _ in range(4):
        for a_run in (make.an_ingest_run, make.a_validation_run, make.an_export_run):
            a_run()
    for model in (IngestRun, ValidationRun, ExportRun):
        model._default_manager.update(created_at=timezone.now())
    everything = labels(newest(size=50).runs)

    pages = pages_of(lambda after: newest(after=after, size=5))

    assert [run.label for page in pages for run in page.runs] == everything
    assert len(set(everything)) == 12


def test_the_run_list_can_be_filtered_by_kind_and_state() -> None:
    compiled = ended(make.a_validation_run, RunState.FAILED, device=Device.COMPILER)
    ended(make.a_validation_run)
    failed = ended(make.an_ingest_run, RunState.FAILED)

    assert labels(newest(kind="compile").runs) == [compiled.label]
    assert labels(newest(kind="validation").runs) == ["validation:" + str(compiled.pk + 1)]
    assert labels(newest(state="failed").runs) == [failed.label, compiled.label]


def test_unfinished_runs_are_listed_on_top_with_their_progress(browser: Client) -> None:
    run = make.a_validation_run(**make.running(stage="checking", done=30, total=120))
    newer = ended(make.an_ingest_run)

    page = text(browser, reverse("runs"))

    assert page.index(run.label) < page.index(newer.label)
    assert '<progress max="100" value="25"' in page
    assert "30 of 120, 25%, about 3 min" in page
    assert labels(running()) == [run.label]


def test_an_empty_run_list_shows_a_message(browser: Client) -> None:
    assert "No runs yet" in text(browser, reverse("runs"))
    assert "No runs match" in text(browser, reverse("runs") + "?state=failed")


@pytest.mark.parametrize("cursor", ["x", "2026-01-01_0_1", "2026-01-01T00:00:00+00:00_a_1", "__"])
def test_an_invalid_cursor_shows_the_first_page_of_runs(browser: Client, cursor: str) -> None:
    run = make.an_ingest_run()

    assert run.label in text(browser, reverse("runs") + f"?after={cursor}")


@pytest.mark.parametrize("place", range(4))
def test_the_query_count_of_a_run_page_does_not_depend_on_its_items(
    browser: Client, place: int
) -> None:
    def cost(run: Run) -> int:
        return len(queries_of(lambda: browser.get(run.get_absolute_url())))

    run = make.runs_of_all_kinds()[place]
    first = cost(run)
    if isinstance(run, ValidationRun):
        kernels = run.device == Device.COMPILER
        more = [make.a_kernel() if kernels else make.a_pair() for _ in range(30)]
        run.batch += make.batch(*more)
        run.save()
        for item in more:
            make.a_validation_result(run=run, **{str(item._meta.model_name): item})
    if isinstance(run, IngestRun):
        for _ in range(30):
            make.a_drop(run=run)

    assert cost(run) == first
    assert first <= 14


# --- The page of a run ----------------------------------------------------------------------
def test_the_items_of_a_validation_are_paged_with_failures_first() -> None:
    run = checked(Verdict.PASSED, None, Verdict.FAILED, Verdict.PASSED, Verdict.TIMEOUT)
    keys = [key for _, key, _ in run.batch]

    pages = list(pages_of(partial(items_of, run, size=2)))

    seen = [keys.index(row.item.pk) for page in pages for row in page.rows]
    assert seen == [2, 4, 1, 0, 3]
    assert pages[-1].counts == [("failed", 1), ("timeout", 1), ("no result", 1), ("passed", 2)]


def test_a_skipped_item_is_listed_first_with_its_reason_and_a_link(
    browser: Client,
) -> None:
    sentence = "The worker stopped 3 times while it checked this, so it was skipped."
    kernels = [make.a_kernel() for _ in range(3)]
    batch = make.batch(*kernels)
    run = ended(make.a_validation_run, device=Device.COMPILER, total=3, batch=batch)
    for kernel, verdict in zip(kernels, ("passed", "passed", "crashed"), strict=True):
        message = sentence if verdict == Verdict.CRASHED else ""
        make.a_validation_result(run=run, kernel=kernel, verdict=verdict, message=message)

    page = text(browser, run.get_absolute_url())

    passed, _, bad = (page.index(f'href="{each.get_absolute_url()}"') for each in kernels)
    assert bad < page.index(sentence) < passed


def test_the_page_of_a_failed_run_shows_reason_log_and_drops(browser: Client) -> None:
    *_, run, _, _ = make.runs_of_all_kinds()

    page = text(browser, run.get_absolute_url())

    for words in ("There is no repository at", "Attempt 1 begins", "of_a_file.py", "No Python."):
        assert words in page


def test_a_compile_run_has_one_address(browser: Client) -> None:
    run = make.a_validation_run(device=Device.COMPILER)

    answer = browser.get(reverse("run", args=["validation", run.pk]))

    assert answer.headers["Location"] == f"/runs/compile/{run.pk}/"


def test_an_unknown_run_gives_a_404(browser: Client) -> None:
    assert browser.get("/runs/ingest/99/").status_code == 404
    assert browser.get("/runs/sweep/1/").status_code == 404


def test_cancelling_an_ended_run_shows_a_message(browser: Client) -> None:
    run = ended(make.an_ingest_run)

    page = browser.post(reverse("cancel-run", args=["ingest", run.pk]), follow=True)

    assert f"{run.label} has ended already: it is succeeded." in page.content.decode()


def test_a_user_without_add_permission_sees_no_run_buttons(client: Client) -> None:
    person = make.a_curator()
    for permission in ("add_exportrun", "add_ingestrun", "add_validationrun"):
        group = person.groups.get()
        group.permissions.remove(group.permissions.get(codename=permission))
    client.force_login(person)
    run = make.an_export_run()

    page = text(client, run.get_absolute_url())

    assert "/cancel" not in page
    assert client.post(reverse("cancel-run", args=["export", run.pk])).status_code == 403
    run.refresh_from_db()
    assert run.state == RunState.QUEUED


def test_a_finished_ingest_says_its_result_and_leads_to_its_kernels(browser: Client) -> None:
    run = make.an_ingest_run(
        repository=make.a_repository(name="owner/name"), state=RunState.SUCCEEDED,
        finished_at=timezone.now(), funnel={"files": 66, "found": 82, "new": 82, "dropped": 0},
    )  # fmt: skip

    page = text(browser, run.get_absolute_url())

    assert "82 kernels in 66 files, all new" in page
    assert IngestRun(funnel={"files": 1, "found": 1, "dropped": 2}).result == (
        "1 kernel in 1 file, 2 dropped"
    )
    assert f'href="{reverse("find")}?repository=owner%2Fname">show the kernels' in page


def test_the_progress_of_an_ingest_is_said_in_words(browser: Client) -> None:
    run = make.an_ingest_run(**make.running(stage="finding helpers", done=0, total=60))
    fresh = make.an_ingest_run(**make.running())

    assert "Finding helpers: 0 of 60" in text(browser, run.get_absolute_url())
    assert "Starting" in text(browser, fresh.get_absolute_url())


# --- Commands -------------------------------------------------------------------------------
def test_the_runs_command_prints_a_line_for_each_run() -> None:
    run = make.a_validation_run(**make.running(stage="checking", done=30, total=120))
    failed = ended(make.an_ingest_run, RunState.FAILED, message="The server answers 404.\nAnd more")
    IngestRun.objects.update(created_at=timezone.now() - timedelta(hours=26))

    first, second = told("runs")

    assert first.startswith(f"{run.label} ")
    assert "running" in first
    assert "30 of 120 (25%), 3 min" in first
    assert second.split()[:2] == [failed.label, "failed"]
    assert "1 d 2 h" in second
    assert second.endswith(f"{failed.repository}: The server answers 404.")
    assert len(told("runs", kind="ingest")) == len(told("runs", limit=1)) == 1
    assert told("runs", state="cancelled") == []


def test_a_name_with_a_line_break_is_one_line_of_the_runs_command() -> None:
    make.an_export_run(name="a\nX: y")

    [line] = told("runs")

    assert line.endswith("a X: y")


def test_the_cancel_command_cancels_a_run_and_mentions_the_shell(queue_redis: redis.Redis) -> None:
    run = make.an_export_run()

    assert told("cancel", run.label) == [f"{run.label} is cancelled."]

    run.refresh_from_db()
    assert (run.state, run.cancelled_by) == ("cancelled", None)
    assert run.message.endswith(" at a shell.")


def test_the_retry_command_queues_the_failed_items(queue_redis: redis.Redis) -> None:
    old = checked(None, Verdict.ERROR)

    told("retry", old.label)
    cancel(ValidationRun.objects.get(retry_of=old))
    told("retry", old.label, "--failed")

    totals = (
        ValidationRun.objects.filter(retry_of=old).order_by("pk").values_list("total", flat=True)
    )
    assert list(totals) == [1, 2]


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("12", "is not a run"), ("validation:x", "is not a run"), ("sweep:1", "is not a run"),
        ("export:99", "There is no run export:99."), ("export:" + "9" * 30, "is not a run"),
    ],
)  # fmt: skip
def test_an_unknown_run_label_gives_a_sentence(label: str, sentence: str) -> None:
    with pytest.raises(CurationError, match=sentence):
        find_run(label)
