"""Rows that several processes read: the same bytes as from one, at one moment, or nothing."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from curation.errors import CurationError
from curation.export import evidence, selection, writers
from curation.export.dataset import dry_run
from curation.export.options import ExportOptions
from curation.export.parallel_read import Readers
from curation.models import Kernel, Pair, Release, ReleaseMember, SourceFile, Status
from tests.curation.export.fixed_rows import KERNELS, write_fixed_rows
from tests.curation.export.writing import export, hashes, manifest, some_rows
from tests.factories import a_source_text, sha
from tests.waiting import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ALL = ("--format", "torchtune,jsonl,parquet,alpaca,kernelbook")


def test_any_number_of_processes_gives_the_same_bytes(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_fixed_rows(range(KERNELS))
    for kind in (Kernel, Pair):
        left_out = kind.objects.order_by("content_hash").values_list("pk", flat=True)[::4]
        kind.objects.filter(pk__in=left_out).update(status=Status.REJECTED)
    monkeypatch.setattr(evidence, "STRETCH", 7)
    settings.EXPORT_PROCESSES = 1
    alone = hashes(export(tmp_path / "1", *ALL))
    funnel = dry_run(ExportOptions()).funnel

    for many in (2, 3, 5):
        settings.EXPORT_PROCESSES = many
        assert hashes(export(tmp_path / str(many), *ALL)) == alone
        assert dry_run(ExportOptions()).funnel == funnel
    assert manifest(tmp_path / "5")["left_out"] == {
        "kernels": {"rejected": 8}, "pairs": {"rejected": 8},
    }  # fmt: skip


def test_a_reader_leaves_alone_what_its_parents_event_loop_hides(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 20)
    settings.EXPORT_PROCESSES = 1
    alone = hashes(export(tmp_path / "1"))
    settings.EXPORT_PROCESSES = 2
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    connection.ensure_connection()

    async def exported() -> Path:
        try:
            return export(tmp_path / "2")
        finally:
            connection.close()

    try:
        # The browser's tests leave one running in this very thread.
        asyncio.get_running_loop()
    except RuntimeError:
        written = asyncio.run(exported())
    else:
        written = export(tmp_path / "2")
    assert hashes(written) == alone
    assert Kernel.objects.count() == 20


@pytest.mark.parametrize("unit", ["file", "function"])
def test_other_units_and_releases_too(
    unit: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 20)
    for number, file in enumerate(SourceFile.objects.all()):
        text = f"# {number}\n"
        a_source_text(sha256=sha(text), text=text)
        SourceFile.objects.filter(pk=file.pk).update(sha256=sha(text))
    monkeypatch.setattr(evidence, "STRETCH", 7)
    settings.EXPORT_PROCESSES = 1
    alone = hashes(export(tmp_path / "1", "--unit", unit, *ALL))

    settings.EXPORT_PROCESSES = 3
    together = hashes(export(tmp_path / "3", "--unit", unit, *ALL))
    assert together == alone
    export(tmp_path / "named", "--unit", unit, *ALL, "--release", "1")
    assert ReleaseMember.objects.count() > 20
    again = hashes(export(tmp_path / "again", "--release", "1"))
    assert again == hashes(tmp_path / "named")


def test_all_read_one_moment_whoever_writes_meanwhile(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 0)
    settings.EXPORT_PROCESSES = 2
    weigh = Readers.weigh

    def weigh_later(*given: Any) -> None:
        written = connection.copy()
        with written.cursor() as cursor:
            cursor.execute(f"UPDATE {Kernel._meta.db_table} SET status = 'rejected'")  # noqa: S608
        written.close()
        weigh(*given)

    monkeypatch.setattr(Readers, "weigh", weigh_later)

    folder = export(tmp_path / "out")

    assert manifest(folder)["records"]["kernels"] == 20
    assert not Kernel.objects.exclude(status=Status.REJECTED).exists()


# What a process does that reads rows, and one that writes a format.
READS, WRITES = (selection.ItemSelector, "weigh"), (writers.Writing, "_write_there")


@pytest.mark.parametrize("work", [READS, WRITES], ids=["reader", "writer"])
def test_a_process_that_is_killed_ends_the_export_without_a_trace(
    work: tuple[type, str], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 0)
    settings.EXPORT_PROCESSES = 2
    monkeypatch.setattr(*work, lambda *_: os.kill(os.getpid(), signal.SIGKILL))

    with pytest.raises(CurationError, match="A process of this export was killed"):
        export(tmp_path / "out", "--release", "1")

    assert list(tmp_path.iterdir()) == []
    assert not Release.objects.exists()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("work", [READS, WRITES], ids=["reader", "writer"])
def test_what_goes_wrong_in_a_process_is_told_here(
    work: tuple[type, str], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_rows(20, 0)
    settings.EXPORT_PROCESSES = 2

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*work, full)

    with pytest.raises(CurationError, match="can't be written: No space left on device"):
        export(tmp_path / "out")

    assert list(tmp_path.iterdir()) == []
    assert not multiprocessing.active_children()


def test_an_export_that_is_killed_takes_its_readers_along(tmp_path: Path) -> None:
    some_rows(20, 0)
    connection.close()
    # Each says who it is in one write: two that print write their line ends apart.
    program = (
        "import os, time, django; django.setup();"
        "from pathlib import Path; from curation.export import dataset, selection;"
        "from curation.export.options import ExportOptions;"
        "here = lambda *a: (os.write(1, b'%d\\n' % os.getpid()), time.sleep(3600));"
        "selection.ItemSelector.weigh = here;"
        f"dataset.export(ExportOptions(), Path({str(tmp_path / 'out')!r}))"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings_of_another_process",
        "TEST_DATABASE": str(connection.settings_dict["NAME"]),
        "EXPORT_PROCESSES": "2",
    }
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout
        readers = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(signal.SIGKILL)

    wait_for("the readers end", lambda: not any(map(_alive, readers)), 10)
    export(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
