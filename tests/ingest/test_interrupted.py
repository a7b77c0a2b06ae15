"""An ingest that is killed between two statements, and run again, ends as if undisturbed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Model, Q, Value
from django.db.models.functions import Coalesce, Now

from curation.jobs.sweep import sweep
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
from ingest.jobs import ingest, ingest_now
from ingest.requests import request_ingest
from ingest.sources import take_up
from tests.conftest import KERNEL, commit
from tests.ingest.git import repositories
from tests.ingest.git.repositories import File, make_repository

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

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


@dataclass(frozen=True, slots=True)
class FirstRead:
    """A repository of two commits, and every row as it is when the first one has been read."""

    second: str
    repository: dict[str, Any]
    rows: list[tuple[type[Model], list[Model]]]

    def ask_for_second(self) -> IngestRun:
        for model, _ in self.rows:
            model._default_manager.all()._raw_delete("default")
        for model, rows in reversed(self.rows):
            model._default_manager.bulk_create(rows)
        Repository.objects.update(**self.repository | {"ref": self.second})
        return request_ingest(Repository.objects.get(), hand_over=False)


@pytest.fixture
def first_read(transactional_db: None, kernel_folder: Path, queue_redis: object) -> FirstRead:
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
    repository = take_up(str(kernel_folder))
    Repository.objects.update(ref=first)
    ingest_now(repository)
    return FirstRead(
        second,
        {**Repository.objects.values().get()},
        [(model, list(model._default_manager.all())) for model in READ],
    )


def test_an_ingest_killed_between_statements_and_rerun_gives_the_same_rows(
    first_read: FirstRead, pytestconfig: pytest.Config
) -> None:
    """Kill before every fourth statement, or before each of them with --every-variant."""
    step = 1 if pytestconfig.getoption("--every-variant") else 4
    ingest(first_read.ask_for_second().pk)
    undisturbed = outcome()
    assert undisturbed[0] == (RunState.SUCCEEDED, first_read.second)
    finished = False

    for moment in range(0, 300, step):
        run = first_read.ask_for_second()
        try:
            with connection.execute_wrapper(KillAt(moment)):
                ingest(run.pk)
            finished = True
        except Killed:
            # The worker is gone: it could tell nobody. Its lease runs out.
            IngestRun.objects.filter(state=RunState.RUNNING).update(lease_until=Now())
            sweep()
            ingest(run.pk)
        assert outcome() == undisturbed, f"killed before statement {moment}"
        if finished:
            break

    assert finished, "the run has more statements than moments were tried"
    assert moment > 20


def test_running_an_ingest_job_twice_changes_no_row(first_read: FirstRead) -> None:
    run = first_read.ask_for_second()
    ingest(run.pk)
    before = (outcome(), IngestRun.objects.values().get(pk=run.pk))

    ingest(run.pk)

    assert (outcome(), IngestRun.objects.values().get(pk=run.pk)) == before


def test_an_ingest_killed_while_it_queues_submodules_queues_them_when_rerun(
    transactional_db: None, tmp_path: Path, queue_redis: object
) -> None:
    listing = b'[submodule "x"]\n\tpath = lib/x\n\turl = https://github.com/o/x.git\n'
    folder = make_repository(tmp_path / "repository")
    files = [
        File(b"add.py", KERNEL.encode()),
        File(b".gitmodules", listing),
        File(b"lib/x", b"2" * 40, "160000"),
    ]
    repositories.commit(folder, files)
    repository = take_up(str(folder), submodules=["lib/x"])
    run = request_ingest(repository, hand_over=False)

    def kill_at_queuing(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{IngestRun._meta.db_table}"'):
            raise Killed
        return execute(sql, *rest)

    with connection.execute_wrapper(kill_at_queuing), pytest.raises(Killed):
        ingest(run.pk)
    ingest_now(repository)

    assert Kernel.objects.count() == 1
    queued = IngestRun.objects.get(repository__name="o/x")
    assert (queued.state, queued.repository.ref) == (RunState.QUEUED, "2" * 40)
