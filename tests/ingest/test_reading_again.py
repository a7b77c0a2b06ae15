"""What a second reading does: versions, retirement, return, and benchmarks that stay out."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from curation.models import (
    Decision,
    IngestRun,
    Kernel,
    Provenance,
    Repository,
    Role,
    SourceText,
    Status,
)
from ingest.jobs import ingest_now
from tests.conftest import commit

pytestmark = pytest.mark.django_db


def read(folder: Path) -> IngestRun:
    call_command("ingest", str(folder), "--now", verbosity=0)
    run = IngestRun.objects.first()
    assert run is not None
    return run


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "add.py"
    file.write_text(file.read_text().replace(old, new))
    commit(folder)


def test_a_changed_kernel_is_a_new_version_pending_and_linked(kernel_folder: Path) -> None:
    read(kernel_folder)
    old = Kernel.objects.get()
    Kernel.objects.update(status=Status.APPROVED)
    change(kernel_folder, "x + y", "x + 2 * y")

    read(kernel_folder)

    new = Kernel.objects.exclude(pk=old.pk).get()
    assert (new.status, new.previous) == (Status.PENDING, old)
    old.refresh_from_db()
    assert old.status == Status.RETIRED


def test_a_changed_helper_creates_a_new_version_of_the_kernel(
    tmp_path: Path,
) -> None:
    helper = "import triton\n\n\n@triton.jit\ndef half(x):\n    return x / 2\n"
    kernel = (
        "import triton\nimport triton.language as tl\nfrom help import half\n\n\n"
        "@triton.jit\ndef kernel(p):\n    tl.store(p, half(tl.load(p)))\n"
    )
    (tmp_path / "help.py").write_text(helper)
    (tmp_path / "main.py").write_text(kernel)
    read(tmp_path)
    old = Kernel.objects.get(name="kernel")
    (tmp_path / "help.py").write_text(helper.replace("x / 2", "x * 0.5"))

    read(tmp_path)

    new = Kernel.objects.exclude(pk=old.pk).get(name="kernel")
    assert new.previous == old
    assert "x * 0.5" in new.standalone_source
    assert Provenance.objects.get(kernel=new).drawn_from == ["help.py", "main.py"]


def test_a_removed_kernel_is_retired_with_a_decision(
    kernel_folder: Path,
) -> None:
    read(kernel_folder)
    (kernel_folder / "add.py").write_text("# nothing is left\n")
    commit(kernel_folder)

    run = read(kernel_folder)

    kernel = Kernel.objects.get()
    decision = Decision.objects.get()
    assert kernel.status == Status.RETIRED
    assert (decision.item, decision.actor) == (kernel, "policy")
    assert "not in its repository any more" in decision.rules
    assert run.funnel["retired"] == 1


def test_a_kernel_that_is_still_in_another_repository_is_not_retired(
    kernel_folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "copy.py").write_text((kernel_folder / "add.py").read_text())
    read(kernel_folder)
    read(other)
    (kernel_folder / "add.py").unlink()
    commit(kernel_folder)

    read(kernel_folder)

    assert Kernel.objects.get().status == Status.PENDING
    assert Provenance.objects.filter(retired_at=None).count() == 1


def test_a_kernel_that_returns_regains_its_status(kernel_folder: Path) -> None:
    read(kernel_folder)
    kernel = Kernel.objects.get()
    Kernel.objects.update(status=Status.APPROVED)
    text = (kernel_folder / "add.py").read_text()
    for content in ("# nothing\n", text):
        (kernel_folder / "add.py").write_text(content)
        commit(kernel_folder)
        read(kernel_folder)

    kernel.refresh_from_db()
    assert kernel.status == Status.APPROVED
    assert [d.status for d in Decision.objects.order_by("pk")] == ["retired", "approved"]


def test_a_kernel_of_a_benchmark_is_rejected_in_other_repositories(
    kernel_folder: Path, tmp_path: Path
) -> None:
    read(kernel_folder)
    Kernel.objects.update(status=Status.APPROVED)
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "problem.py").write_text((kernel_folder / "add.py").read_text())
    benchmark = Repository.objects.create(
        name=str(bench), url=str(bench), origin="folder", role=Role.BENCHMARK
    )

    ingest_now(benchmark)

    assert Kernel.objects.get().status == Status.REJECTED
    assert "measures models by it" in Decision.objects.get().comment


def test_an_unchanged_commit_is_read_again_only_on_request(kernel_folder: Path) -> None:
    read(kernel_folder)
    assert read(kernel_folder).stage == "unchanged"

    call_command("ingest", str(kernel_folder), "--now", "--again", verbosity=0)

    run = IngestRun.objects.first()
    assert run is not None
    assert (run.stage, run.funnel["found"], run.funnel["new"]) == ("done", 1, 0)


def test_changed_globs_cause_an_unchanged_commit_to_be_read(kernel_folder: Path) -> None:
    read(kernel_folder)
    Repository.objects.update(exclude_globs=["add.py"])

    run = read(kernel_folder)

    assert (run.stage, run.funnel["files"], run.funnel["retired"]) == ("done", 0, 1)


def test_files_without_a_kernel_are_stored_with_size_and_text(tmp_path: Path) -> None:
    (tmp_path / "codegen.py").write_bytes(b"\xef\xbb\xbfimport os\r\n")
    read(tmp_path)

    repository = Repository.objects.get()
    file = repository.files.get()
    assert (file.size, file.lines, file.path) == (14, 1, "codegen.py")
    assert file.tokens == 3
    assert SourceText.objects.get(sha256=file.sha256).text == "import os\n"


def test_a_repository_opted_out_while_queued_is_not_read(
    kernel_folder: Path,
) -> None:
    from ingest.jobs import ingest
    from ingest.requests import request_ingest
    from ingest.sources import take_up

    run = request_ingest(take_up(str(kernel_folder)), hand_over=False)
    Repository.objects.update(opted_out_at=timezone.now())

    ingest(run.pk)

    run.refresh_from_db()
    assert run.state == "failed"
    assert "was opted out" in run.message
    assert not Kernel.objects.exists()
