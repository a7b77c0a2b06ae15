"""An ingest that is killed between any two statements, and run again, ends as if undisturbed."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from curation.models import Drop, IngestRun, Kernel, Provenance, Repository, RunState, SourceFile
from curation.queue.sweep import sweep
from ingest.jobs import ingest
from tests.conftest import commit


class Killed(BaseException):
    """Stands for the moment at which a worker is gone."""


class KillAt:
    """A database wrapper that lets `after` statements through and then goes for good."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, execute: Any, sql: str, *rest: Any) -> Any:
        if self.left == 0:
            raise Killed
        self.left -= 1
        return execute(sql, *rest)


def outcome() -> list[Any]:
    run = IngestRun.objects.get()
    return [
        (run.state, run.funnel, run.commit),
        sorted(SourceFile.objects.values_list("path", "blob_hash", "commit")),
        sorted(Kernel.objects.values_list("content_hash", "status")),
        sorted(Provenance.objects.values_list("kernel__content_hash", "start_line")),
        sorted(Drop.objects.values_list("path", "reason")),
    ]


@pytest.fixture
def run(transactional_db: None, kernel_folder: Path, queue_redis: object) -> IngestRun:
    (kernel_folder / "broken.py").write_text("def f(:\n")
    (kernel_folder / "two.py").write_text((kernel_folder / "add.py").read_text())
    commit(kernel_folder)
    call_command("ingest", str(kernel_folder), verbosity=0)
    return IngestRun.objects.get()


def start_over(run: IngestRun) -> None:
    for model in (Drop, Provenance, Kernel, SourceFile, IngestRun):
        model._default_manager.all().delete()
    IngestRun.objects.create(pk=run.pk, repository=Repository.objects.get())


def test_killed_between_any_two_statements_and_rerun_gives_the_same_rows(run: IngestRun) -> None:
    ingest(run.pk)
    undisturbed = outcome()
    finished = False

    for moment in range(200):
        start_over(run)
        try:
            with connection.execute_wrapper(KillAt(moment)):
                ingest(run.pk)
            finished = True
        except Killed:
            # The worker is gone: it could tell nobody. Its lease runs out.
            IngestRun.objects.filter(state=RunState.RUNNING).update(lease_until=timezone.now())
            sweep()
            ingest(run.pk)
        assert outcome()[1:] == undisturbed[1:], f"killed before statement {moment}"
        state, _funnel, commit_seen = outcome()[0]
        assert (state, commit_seen) == (RunState.SUCCEEDED, undisturbed[0][2])
        if finished:
            break

    assert finished, "the run has more statements than moments were tried"
    assert moment > 10


def test_a_job_run_twice_changes_nothing_more(run: IngestRun) -> None:
    ingest(run.pk)
    before = (outcome(), IngestRun.objects.values().get())

    ingest(run.pk)

    assert (outcome(), IngestRun.objects.values().get()) == before
