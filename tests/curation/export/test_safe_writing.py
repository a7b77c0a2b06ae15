"""A folder is there whole or not at all: killed, full, read-only, or not ours."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from curation.errors import CurationError
from curation.export.folder import MANIFEST, FolderNotWritten, check_target, new_folder
from curation.models import Release, SplitAssignment
from tests.curation.export.killed import killed
from tests.curation.export.writing import export, hashes, some_rows
from tests.factories import an_approved_kernel

pytestmark = pytest.mark.django_db


def test_a_killed_export_leaves_no_folder_and_the_next_export_cleans_up(tmp_path: Path) -> None:
    killed("folder", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert len(list(tmp_path.iterdir())) == 1

    with new_folder(tmp_path / "out") as folder:
        (folder / "whole").write_text("written")

    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["whole"]


def test_a_concurrent_export_to_the_same_folder_is_not_disturbed(tmp_path: Path) -> None:
    with new_folder(tmp_path / "out") as first:
        (first / "a").write_text("a")
        with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out"):
            raise ZeroDivisionError

    assert (tmp_path / "out" / "a").read_text() == "a"


def test_an_earlier_export_stays_until_its_replacement_is_complete(tmp_path: Path) -> None:
    some_rows(3, 0)
    folder = export(tmp_path / "out")
    before = hashes(folder)

    killed("folder", folder)
    with pytest.raises(ZeroDivisionError), new_folder(folder):
        raise ZeroDivisionError
    assert hashes(folder) == before

    an_approved_kernel()
    export(folder)
    assert hashes(folder) != before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("name", "sentence"), [("mine", "exists, is not empty"), (MANIFEST, "not an unchanged export")]
)
def test_a_folder_with_foreign_files_is_not_replaced(
    name: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("[]")

    with pytest.raises(CurationError, match=sentence):
        export(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_files_created_during_an_export_are_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="meanwhile"), new_folder(tmp_path / "out"):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").write_text("precious")

    assert (tmp_path / "out" / "mine").read_text() == "precious"


@pytest.fixture
def little_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB, where this machine lets us have one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True
    )
    if not made or made.returncode:
        pytest.skip("needs the right to mount a file system")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_an_export_to_a_full_disk_fails_with_a_sentence_and_leaves_no_files(
    little_disk: Path,
) -> None:
    some_rows(60, 60)

    with pytest.raises(CurationError, match="can't be written: No space left on device"):
        export(little_disk / "out")

    assert list(little_disk.iterdir()) == []


def test_an_export_to_a_read_only_target_fails_with_a_sentence(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        target = Path("/proc/out")
    else:
        tmp_path.chmod(0o500)
        target = tmp_path / "out"

    with pytest.raises(CurationError, match="can't be written"):
        export(target)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_export_leaves_rows_and_folders_unchanged(tmp_path: Path) -> None:
    some_rows(40, 0)
    earlier = hashes(export(tmp_path / "earlier", "--seed", "9"))
    assigned = SplitAssignment.objects.count()

    killed("release", tmp_path / "out")

    assert not (tmp_path / "out").exists()
    assert hashes(tmp_path / "earlier") == earlier
    assert not Release.objects.exists()
    assert SplitAssignment.objects.count() == assigned
    export(tmp_path / "out", "--release", "1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["earlier", "out"]


def test_a_target_below_a_file_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderNotWritten, match="is a file"):
        check_target(tmp_path / "file" / "dataset")
