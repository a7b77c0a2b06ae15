"""Fetches that are killed, crowded or starved, and what the next one finds."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.git import Blob, Limits, fetch
from ingest.git.errors import SourceError, SourceUnavailable
from ingest.git.limits import Deadline, silent
from ingest.git.mirror import locked_mirror, mirror_name
from tests.ingest.git.fetching import fetched, remote, served
from tests.ingest.git.http_server import LOCAL_WEB, GitServer
from tests.ingest.git.repositories import File, commit, make_repository, plain
from tests.validation.harness.sandbox.confining import processes_saying
from tests.waiting import DEADLINE, wait_for

pytestmark = pytest.mark.slow

FETCH = """
import sys
from pathlib import Path
from ingest.git import Source, SourceKind, fetch
from tests.ingest.git.http_server import LOCAL_WEB
print("ready", flush=True)
fetch(Source(SourceKind.REMOTE, sys.argv[1]), mirrors=Path(sys.argv[2]), network=LOCAL_WEB)
"""
ROOT = Path(__file__).parents[2]


def texts(server: GitServer, mirrors: Path) -> list[str]:
    snapshot = fetched(server, mirrors)
    return [found.data.decode() for found in snapshot.read() if isinstance(found, Blob)]


def test_a_fetch_succeeds_after_git_was_killed_in_mid_transfer(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a"})
    server.stall_seconds = 30
    mirror = mirrors / mirror_name(remote(server))

    def kill_git() -> None:
        server.stalled.wait(DEADLINE)
        for process in wait_for("git is at work", lambda: processes_saying(f"--git-dir={mirror}")):
            os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill_git)
    killer.start()
    with pytest.raises(SourceError):
        texts(server, mirrors)
    killer.join()
    server.stall_seconds = 0

    assert texts(server, mirrors) == ["a"]
    assert not list(mirror.rglob("tmp_*"))


def test_a_fetching_process_killed_in_mid_transfer_leaves_a_usable_mirror(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a"})
    server.stall_seconds = 2
    mirror = mirrors / mirror_name(remote(server))
    arguments = [sys.executable, "-c", FETCH, remote(server).location, str(mirrors)]
    child = subprocess.Popen(arguments, cwd=ROOT)
    assert server.stalled.wait(DEADLINE)
    child.kill()
    child.wait()
    server.stall_seconds = 0

    assert texts(server, mirrors) == ["a"]
    assert not list(mirror.rglob("tmp_*"))


def test_stale_lock_files_of_a_killed_git_are_removed(server: GitServer, mirrors: Path) -> None:
    repository = served(server, {"a.py": "a"})
    texts(server, mirrors)
    mirror = mirrors / mirror_name(remote(server))
    for name in ("shallow.lock", "config.lock", "HEAD.lock", "packed-refs.lock",
                 "refs/incoming.lock", "objects/pack/tmp_pack_x"):  # fmt: skip
        (mirror / name).write_text("stale")
    commit(repository, plain({"a.py": "b"}))

    assert texts(server, mirrors) == ["b"]
    assert not list(mirror.rglob("*.lock"))


def test_a_fetch_of_a_locked_mirror_times_out(server: GitServer, mirrors: Path) -> None:
    source = remote(server)
    with (
        locked_mirror(
            mirrors, source, Limits(), Deadline.after(10), LOCAL_WEB.protocols, "", silent
        ),
        pytest.raises(SourceUnavailable, match="Another process"),
    ):
        fetch(source, mirrors=mirrors, limits=Limits(seconds=0.3), network=LOCAL_WEB)


def test_concurrent_fetches_of_one_repository_all_succeed(server: GitServer, mirrors: Path) -> None:
    served(server, {"a.py": "a"})
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(texts(server, mirrors))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [["a"]] * 4


def test_concurrent_first_fetches_into_a_new_data_folder_do_not_collide(
    server: GitServer, mirrors: Path
) -> None:
    names = [f"repo{number}" for number in range(6)]
    for name in names:
        commit(make_repository(server.root / name), plain({"a.py": name}))

    children = [
        subprocess.Popen([sys.executable, "-c", FETCH, server.url(name), str(mirrors)], cwd=ROOT)
        for name in names
    ]

    assert [child.wait() for child in children] == [0] * len(names)
    assert not list(mirrors.glob(".reader-sha1-*"))


def _mounted(folder: Path, options: str) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    folder.mkdir()
    code: int = libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options.encode())
    return code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    if not _mounted(folder, "size=1m"):
        pytest.skip("a small disk can only be mounted by root")
    yield folder
    ctypes.CDLL(None).umount2(os.fsencode(folder), 2)


def test_a_fetch_names_a_full_disk_as_the_reason(server: GitServer, small_disk: Path) -> None:
    repository = make_repository(server.root / "repo")
    commit(repository, [File(b"a.py", os.urandom(1_500_000))])

    with pytest.raises(SourceUnavailable, match="free some space"):
        fetch(
            remote(server),
            mirrors=small_disk / "mirrors",
            limits=Limits(free_disk_bytes=0),
            network=LOCAL_WEB,
        )
    assert not list(small_disk.rglob("tmp_*"))


def test_a_fetch_is_refused_with_too_little_free_disk_space(
    server: GitServer, small_disk: Path
) -> None:
    served(server, {"a.py": "a"})

    with pytest.raises(SourceUnavailable, match="Less than 200 MB"):
        fetch(remote(server), mirrors=small_disk / "mirrors", network=LOCAL_WEB)


def test_a_fetch_names_an_unusable_data_folder(server: GitServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(SourceError, match="data folder"):
        fetch(remote(server), mirrors=tmp_path / "file" / "mirrors", network=LOCAL_WEB)
