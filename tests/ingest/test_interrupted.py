"""An ingest that is killed between any two statements, and run again, ends as if undisturbed."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from curation.models import (
    Band,
    ContaminationMatch,
    CopyFlag,
    Decision,
    Drop,
    DuplicateLink,
    Fingerprint,
    IngestRun,
    Kernel,
    LicenseEvidence,
    Provenance,
    QualityFinding,
    Repository,
    RunState,
    SourceFile,
    SourceText,
)
from curation.queue.sweep import sweep
from ingest.in_process import ingest_now
from ingest.jobs import ingest
from ingest.requests import request_ingest
from tests.conftest import commit

# What an ingest writes, each before what it points to.
READ = (
    CopyFlag, ContaminationMatch, DuplicateLink, Band, Fingerprint,
    Decision, Drop, QualityFinding, LicenseEvidence, Provenance, Kernel, SourceFile, SourceText,
    IngestRun,
)  # fmt: skip


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
    """All that an ingest leaves behind, but for keys and times."""
    run = IngestRun.objects.latest("pk")
    gone = ExpressionWrapper(Q(retired_at__isnull=False), BooleanField())
    return [
        (run.state, run.commit),
        sorted(SourceFile.objects.values_list("path", "blob_hash", "commit", gone)),
        sorted(SourceText.objects.values_list("sha256")),
        sorted(
            Kernel.objects.values_list(
                "content_hash", "status", Coalesce("previous__content_hash", Value(""))
            )
        ),
        sorted(Provenance.objects.values_list("kernel__content_hash", "start_line", gone)),
        sorted(Decision.objects.values_list("kernel__content_hash", "status", "rules")),
        sorted(QualityFinding.objects.values_list("kernel__content_hash", "gate", "passed")),
        sorted(LicenseEvidence.objects.values_list("source_file__blob_hash", "verdict")),
        sorted(Fingerprint.objects.values_list("kernel__content_hash", "placed", "compared_with")),
        sorted(Band.objects.values_list("fingerprint__kernel__content_hash", "number", "value")),
        sorted(
            DuplicateLink.objects.values_list("kernel__content_hash", "of_kernel__content_hash")
        ),
        sorted(Drop.objects.filter(run=run).values_list("path", "reason")),
    ]


@pytest.fixture
def two_commits(
    transactional_db: None, kernel_folder: Path, queue_redis: object
) -> tuple[str, str]:
    """A file changes, one goes, one comes, one can't be read."""
    add = kernel_folder / "add.py"
    (kernel_folder / "gone.py").write_text(add.read_text().replace("add_kernel", "gone_kernel"))
    first = commit(kernel_folder)
    (kernel_folder / "gone.py").unlink()
    (kernel_folder / "null.py").write_bytes(b"import triton  # jit\0")
    (kernel_folder / "new.py").write_text(add.read_text().replace("add_kernel", "new_kernel"))
    tag = "# SPDX-License-Identifier: MIT\n"
    add.write_text(tag + add.read_text().replace("x + y", "x + 2 * y"))
    second = commit(kernel_folder)
    call_command("ingest", str(kernel_folder), "--now", verbosity=0)
    return first, second


def read_first_and_ask_for_second(commits: tuple[str, str]) -> IngestRun:
    for model in READ:
        model._default_manager.all()._raw_delete("default")
    Repository.objects.filter(origin="folder").update(ref=commits[0], last_reading="")
    ingest_now(Repository.objects.get())
    Repository.objects.filter(origin="folder").update(ref=commits[1])
    return request_ingest(Repository.objects.get(), hand_over=False)


def test_killed_between_any_two_statements_and_rerun_gives_the_same_rows(
    two_commits: tuple[str, str],
) -> None:
    ingest(read_first_and_ask_for_second(two_commits).pk)
    undisturbed = outcome()
    assert undisturbed[0] == (RunState.SUCCEEDED, two_commits[1])
    finished = False

    for moment in range(300):
        run = read_first_and_ask_for_second(two_commits)
        try:
            with connection.execute_wrapper(KillAt(moment)):
                ingest(run.pk)
            finished = True
        except Killed:
            # The worker is gone: it could tell nobody. Its lease runs out.
            IngestRun.objects.filter(state=RunState.RUNNING).update(lease_until=timezone.now())
            sweep()
            ingest(run.pk)
        assert outcome() == undisturbed, f"killed before statement {moment}"
        if finished:
            break

    assert finished, "the run has more statements than moments were tried"
    assert moment > 20


def test_a_job_run_twice_changes_nothing_more(two_commits: tuple[str, str]) -> None:
    run = read_first_and_ask_for_second(two_commits)
    ingest(run.pk)
    before = (outcome(), IngestRun.objects.values().get(pk=run.pk))

    ingest(run.pk)

    assert (outcome(), IngestRun.objects.values().get(pk=run.pk)) == before
