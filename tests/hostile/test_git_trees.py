"""Trees that no honest tool would make: names, links, numbers and sizes."""

import os
import resource
from pathlib import Path

import pytest

from ingest.git import Absent, Blob, Limits, Problem, Selection, fetch
from ingest.git.errors import SourceError
from tests.ingest.git.fetching import fetched_from
from tests.ingest.git.repositories import File, commit, commit_tree, git, make_repository, plain

pytestmark = pytest.mark.slow


def test_a_path_outside_the_repository_is_recorded_as_a_problem(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    blob = git(repository, "hash-object", "-w", "--stdin", feed=b"x")
    inner = _tree(repository, b"100644 ..\0", blob)
    outer = _tree(repository, b"40000 ..\0", inner)
    bad = commit_tree(repository, outer)
    leaving = fetched_from(repository, mirrors, ref=bad, selection=Selection(include=()))

    assert list(leaving.read()) == [Absent("../..", Problem.UNSAFE_PATH)]


def _processor_seconds() -> float:
    """Return the time of this process and of the git processes that ended."""
    return sum(os.times()[:4])


def _tree(repository: Path, entry: bytes, object_id: str) -> str:
    feed = entry + bytes.fromhex(object_id)
    return git(repository, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", feed=feed)


def test_colliding_and_undecodable_file_names_do_not_affect_other_files(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    names = [b"Case.py", b"case.py", b"caf\xe9.py", b"new\nline.py", b"tab\t.py", b"-rf.py",
             "ünï.py".encode(), b'quo"te.py', b"back\\slash.py"]  # fmt: skip
    commit(repository, [File(name, name) for name in names])

    found = list(fetched_from(repository, mirrors).read())

    assert {f.path: f.data for f in found if isinstance(f, Blob)} == {
        name.decode(): name for name in names if name != b"caf\xe9.py"
    }
    assert [f for f in found if isinstance(f, Absent)] == [
        Absent("caf\\xe9.py", Problem.NAME_NOT_UTF8)
    ]


def test_a_hundred_thousand_tiny_files_take_seconds_and_little_memory(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    commit(
        repository, (File(b"d%d/f%d.py" % (n % 300, n), b"%d" % (n % 1000)) for n in range(100_000))
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = _processor_seconds()

    snapshot = fetched_from(repository, mirrors)
    read = sum(isinstance(found, Blob) for found in snapshot.read())

    assert read == 100_000
    assert _processor_seconds() - start < 15
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 300_000
    with pytest.raises(SourceError, match="narrow the sparse paths or globs"):
        fetch(snapshot.source, mirrors=mirrors, limits=Limits(files=1000))


def test_a_huge_file_is_reported_as_too_large_without_loading_it(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    huge = tmp_path / "huge.py"
    with huge.open("wb") as file:
        file.truncate(300_000_000)
    git(repository, "config", "core.compression", "1")
    blob = git(repository, "hash-object", "-w", "--no-filters", str(huge))
    listing = f"100644 blob {blob}\thuge.py\n".encode()
    tree = git(repository, "mktree", feed=listing)
    made = commit_tree(repository, tree)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    snapshots = [
        fetched_from(repository, mirrors, ref=made),
        fetched_from(_folder_with(huge), mirrors),
    ]

    for snapshot in snapshots:
        assert [e.size for e in snapshot.entries if e.path == "huge.py"] == [300_000_000]
        assert list(snapshot.read(["huge.py"])) == [Absent("huge.py", Problem.TOO_LARGE)]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 100_000


def _folder_with(file: Path) -> Path:
    folder = file.parent / "folder"
    folder.mkdir()
    return file.rename(folder / file.name).parent


def test_a_file_with_a_deep_path_can_be_read(tmp_path: Path, mirrors: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    path = "d/" * 1000 + "a.py"
    commit(repository, plain({path: "deep"}))

    snapshot = fetched_from(repository, mirrors)

    assert [entry.path for entry in snapshot.entries] == [path]
