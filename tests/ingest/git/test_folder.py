import os
from pathlib import Path

import pytest

from ingest.git import Absent, Blob, Limits, Problem, Selection, fetch, parse_source
from ingest.git.errors import SourceError
from ingest.git.folder import blob_id
from tests.ingest.git.fetching import fetched_from
from tests.ingest.git.repositories import git, make_repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "ops").mkdir(parents=True)
    (folder / "ops" / "a.py").write_text("a")
    (folder / "b.py").write_text("b")
    return folder


def test_the_snapshot_of_a_folder_has_a_content_hash_as_commit(folder: Path, mirrors: Path) -> None:
    source = parse_source(str(folder), allow_local=True)
    first = fetch(source, mirrors=mirrors)
    same = fetch(source, mirrors=mirrors)
    (folder / "b.py").write_text("changed")
    changed = fetch(source, mirrors=mirrors)

    assert [entry.path for entry in first.entries] == ["b.py", "ops/a.py"]
    assert len(first.commit) == 40
    assert first.commit == same.commit != changed.commit


def test_a_file_has_the_same_blob_id_in_a_folder_and_in_git(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")

    assert blob_id(b"text\n") == git(repository, "hash-object", "--stdin", feed=b"text\n")


def test_a_path_that_is_not_a_plain_file_is_an_entry_with_a_problem(
    folder: Path, mirrors: Path
) -> None:
    (folder / "link.py").symlink_to("/etc/passwd")
    (folder / "up.py").symlink_to("../../x.py")
    (folder / "out").symlink_to("/etc")
    (folder / "large.py").write_bytes(b"x" * 101)
    os.mkfifo(folder / "pipe.py")
    with open(os.fsencode(folder) + b"/caf\xe9.py", "w"):
        pass

    snapshot = fetched_from(
        folder, mirrors, selection=Selection(include=("*.py", "out")), limits=Limits(blob_bytes=100)
    )

    assert {
        found.path: found.problem for found in snapshot.read() if isinstance(found, Absent)
    } == {
        "link.py": Problem.SYMLINK,
        "up.py": Problem.SYMLINK,
        "out": Problem.SYMLINK,
        "large.py": Problem.TOO_LARGE,
        "pipe.py": Problem.UNREADABLE,
        "caf\\xe9.py": Problem.NAME_NOT_UTF8,
    }


def test_a_file_changed_since_the_snapshot_is_not_read(folder: Path, mirrors: Path) -> None:
    snapshot = fetched_from(folder, mirrors)
    (folder / "b.py").write_text("c")
    (folder / "ops").rename(folder.parent / "elsewhere")
    (folder / "ops").symlink_to(folder.parent / "elsewhere")

    assert list(snapshot.read()) == [
        Absent("b.py", Problem.CHANGED),
        Absent("ops/a.py", Problem.CHANGED),
    ]


def test_a_snapshot_reads_only_its_own_paths(folder: Path, mirrors: Path) -> None:
    (folder.parent / "secret.py").write_text("secret")
    snapshot = fetched_from(folder, mirrors)

    with snapshot.open() as tree:
        assert tree.read("../secret.py") is None
        assert tree.read("ops/a.py") == b"a"
        assert list(tree.paths()) == ["b.py", "ops/a.py"]
    assert list(snapshot.read(["b.py"])) == [Blob("b.py", blob_id(b"b"), b"b")]


def test_an_empty_folder_and_one_with_too_many_files_are_refused(
    folder: Path, mirrors: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(SourceError, match="holds no files"):
        fetched_from(tmp_path / "empty", mirrors)
    with pytest.raises(SourceError, match="more than 1 files"):
        fetched_from(folder, mirrors, limits=Limits(files=1))
