"""`manage.py ingest PATH --now`: a folder's kernels become rows, once."""

import logging
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

import pytest
import redis
from django.conf import settings
from django.core.management import CommandError, call_command

from curation.errors import CurationError
from curation.jobs.attempt import claim
from curation.models import (
    Category,
    Drop,
    IngestRun,
    Kernel,
    Origin,
    Provenance,
    Repository,
    SourceFile,
)
from curation.operations.address import hold_lock
from ingest import jobs
from ingest.git.errors import SourceUnavailable
from ingest.requests import request_ingest
from ingest.sources import take_up
from tests.conftest import commit

pytestmark = pytest.mark.django_db


def ingest(folder: Path) -> IngestRun:
    call_command("ingest", str(folder), "--now", verbosity=0)
    run = IngestRun.objects.first()
    assert run is not None
    return run


@pytest.mark.sandboxed
def test_a_kernel_is_stored_with_its_exact_lines_and_imports(kernel_folder: Path) -> None:
    ingest(kernel_folder)

    kernel = Kernel.objects.get()
    assert kernel.name == "add_kernel"
    assert kernel.function_source.startswith("@triton.jit\ndef add_kernel(")
    assert kernel.function_source.endswith("x + y, mask=mask)")
    assert kernel.standalone_source.startswith("import triton\nimport triton.language as tl\n")
    compile(kernel.standalone_source, "unit", "exec")


def test_a_kernel_records_its_commit_and_exact_lines(kernel_folder: Path) -> None:
    ingest(kernel_folder)

    place = Provenance.objects.select_related("source_file").get()
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=kernel_folder, text=True)
    lines = (kernel_folder / "add.py").read_text().split("\n")
    assert place.source_file.commit == head.strip()
    assert (
        "\n".join(lines[place.start_line - 1 : place.end_line])
        == Kernel.objects.get().function_source
    )


def test_an_ingested_folder_becomes_a_source_named_by_its_path(kernel_folder: Path) -> None:
    run = ingest(kernel_folder)

    repository = Repository.objects.get()
    assert (repository.name, repository.origin) == (str(kernel_folder), Origin.FOLDER)
    assert repository.last_commit == run.commit


def test_a_changed_file_adds_a_row_and_keeps_the_old_content(kernel_folder: Path) -> None:
    ingest(kernel_folder)
    file = kernel_folder / "add.py"
    file.write_text(file.read_text().replace("x + y", "x + 2 * y"))
    commit(kernel_folder)

    ingest(kernel_folder)

    assert Kernel.objects.count() == 2
    assert SourceFile.objects.filter(retired_at=None).count() == 1
    assert SourceFile.objects.count() == 2


def test_a_file_that_returns_to_old_content_reuses_its_row(kernel_folder: Path) -> None:
    file = kernel_folder / "add.py"
    old = file.read_text()
    for text in (old, old + "\n# more\n", old):
        file.write_text(text)
        if text != old or IngestRun.objects.exists():
            commit(kernel_folder)
        ingest(kernel_folder)

    assert SourceFile.objects.count() == 2
    assert SourceFile.objects.get(retired_at=None).size == len(old)


def test_a_file_that_does_not_parse_is_recorded_with_a_reason(kernel_folder: Path) -> None:
    (kernel_folder / "broken.py").write_text("@triton.jit\ndef f(:\n")
    commit(kernel_folder)

    run = ingest(kernel_folder)

    drop = Drop.objects.get(run=run)
    assert (drop.path, drop.reason) == ("broken.py", "syntax")
    assert (run.funnel["found"], run.funnel["dropped"]) == (1, 1)


def test_an_ingest_never_follows_a_symbolic_link(kernel_folder: Path) -> None:
    (kernel_folder / "link.py").symlink_to("/etc/passwd")
    commit(kernel_folder)

    run = ingest(kernel_folder)

    assert (run.funnel["found"], run.funnel["files"]) == (1, 1)


def test_a_repository_with_a_live_ingest_is_not_queued_again(kernel_folder: Path) -> None:
    ingest(kernel_folder)
    live = IngestRun.objects.create(repository=Repository.objects.get())
    assert claim(IngestRun, live.pk)

    with pytest.raises(CurationError, match=f"is running already, as ingest {live.pk}. Should its"):
        call_command("ingest", str(kernel_folder), "--now")


def test_ingest_now_carries_out_a_run_that_is_queued(kernel_folder: Path) -> None:
    waiting = request_ingest(take_up(str(kernel_folder)), hand_over=False)

    run = ingest(kernel_folder)

    assert run == waiting
    assert run.state == "succeeded"


@pytest.mark.parametrize("relation", ["lies in", "holds"])
def test_a_folder_that_overlaps_a_known_source_is_refused(
    kernel_folder: Path, relation: str
) -> None:
    inner = kernel_folder / "inner"
    inner.mkdir()
    other = {"lies in": inner, "holds": kernel_folder.parent}[relation]
    ingest(kernel_folder)

    with pytest.raises(CurationError, match=f"{other} {relation} the known source {kernel_folder}"):
        call_command("ingest", str(other), "--now")

    assert Repository.objects.count() == 1


def test_another_path_to_a_known_folder_does_not_create_a_second_source(
    kernel_folder: Path, tmp_path: Path
) -> None:
    ingest(kernel_folder)
    (tmp_path / "link").symlink_to(kernel_folder)

    ingest(tmp_path / "link")
    with pytest.raises(CurationError, match=f"lies in the known source {kernel_folder}"):
        call_command("ingest", str(kernel_folder / ".git"), "--now")

    assert Repository.objects.get().name == str(kernel_folder)


def unreachable(*_: Any, **__: Any) -> NoReturn:
    raise SourceUnavailable("github.com did not answer.")


def test_a_retry_is_logged_only_if_the_queue_retries(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jobs, "fetch", unreachable)
    caplog.set_level(logging.INFO)

    with pytest.raises(CurationError, match="did not answer"):
        call_command("ingest", str(kernel_folder), "--now")

    assert "is tried again" not in caplog.text
    assert IngestRun.objects.get().state == "failed"

    jobs.ingest(request_ingest(Repository.objects.get(), hand_over=False).pk)

    assert "is tried again: github.com did not answer." in caplog.text
    assert IngestRun.objects.first().state == "running"  # type: ignore[union-attr]


def queue(folder: Path) -> str:
    out = StringIO()
    call_command("ingest", str(folder), stdout=out)
    return out.getvalue().strip()


def test_a_run_queued_without_a_worker_prints_advice(
    kernel_folder: Path, queue_redis: redis.Redis
) -> None:
    assert queue(kernel_folder).endswith(
        " is queued; no worker is running: start manage.py up, or add --now."
    )


def test_no_advice_is_given_while_up_starts_its_workers(
    kernel_folder: Path, queue_redis: redis.Redis
) -> None:
    with hold_lock(settings.DATA_DIR, "http://127.0.0.1:8000"):
        assert queue(kernel_folder).endswith(" is queued.")
    (settings.DATA_DIR / "up.lock").unlink()


def test_without_redis_the_run_stays_queued_and_advice_is_printed(
    kernel_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Any,
) -> None:
    for queue_settings in settings.RQ_QUEUES.values():
        monkeypatch.setitem(queue_settings, "URL", "unix:///no/such.sock")

    with django_capture_on_commit_callbacks(execute=True):
        told = queue(kernel_folder)

    assert told.endswith(" is queued; no worker is running: start manage.py up, or add --now.")
    assert caplog.text == ""
    assert IngestRun.objects.get().state == "queued"


def test_a_new_source_gets_the_named_category_and_paths(kernel_folder: Path) -> None:
    (kernel_folder / "other").mkdir()
    (kernel_folder / "other" / "copy.py").write_text((kernel_folder / "add.py").read_text())
    commit(kernel_folder)
    options = ("--category", "tutorial", "--path", "other")

    call_command("ingest", str(kernel_folder), "--now", *options, verbosity=0)

    assert Repository.objects.get().category == Category.TUTORIAL
    assert Provenance.objects.get().source_file.path == "other/copy.py"
    call_command("ingest", str(kernel_folder), "--now", *options, verbosity=0)
    with pytest.raises(CurationError, match="known already, with another sparse_paths"):
        call_command("ingest", str(kernel_folder), "--now", "--path", "add.py", verbosity=0)


def test_a_source_that_fails_does_not_stop_the_others(kernel_folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "none" / "here"

    with pytest.raises(CommandError, match="none/here"):
        call_command("ingest", str(empty), str(kernel_folder), "--now", verbosity=0)

    assert Kernel.objects.count() == 1
