"""Unused mirrors are deleted for room. The next fetch clones them again."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from ingest.git import Source, SourceKind, fetch
from ingest.git.mirror import mirror_name
from ingest.git.unused import DAY, Usage, remove_unused
from tests.ingest.git.http_server import LOCAL_WEB, GitServer
from tests.ingest.git.repositories import commit, make_repository, plain

KILLED = """\
import os, shutil, signal, sys
from pathlib import Path
from ingest.git.unused import remove_unused
shutil.rmtree = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
list(remove_unused(Path(sys.argv[1]), days=30, most_bytes=0))
"""


def mirrored(server: GitServer, mirrors: Path, name: str, days_ago: float) -> Path:
    """A real mirror that was last used so many days ago."""
    commit(make_repository(server.root / name), plain({"a.py": os.urandom(9_000).hex()}))
    folder = read(server, mirrors, name)
    then = time.time() - days_ago * DAY
    os.utime(folder.with_suffix(".lock"), (then, then))
    return folder


def read(server: GitServer, mirrors: Path, name: str) -> Path:
    source = Source(SourceKind.REMOTE, server.url(name))
    snapshot = fetch(source, mirrors=mirrors, network=LOCAL_WEB)
    assert len(list(snapshot.read())) == 1
    return mirrors / mirror_name(source)


def removed(mirrors: Path, days: int = 0, most_bytes: int = 0) -> list[str]:
    return [each.folder.name for each in remove_unused(mirrors, days=days, most_bytes=most_bytes)]


def test_a_mirror_unused_for_long_is_removed(server: GitServer, mirrors: Path) -> None:
    old = mirrored(server, mirrors, "old", days_ago=31)
    new = mirrored(server, mirrors, "new", days_ago=29)

    (gone,) = list(remove_unused(mirrors, days=30, most_bytes=0))

    assert isinstance(gone, Usage)
    assert gone.folder.name == old.name
    assert gone.bytes > 9_000
    assert new.exists()
    assert not old.exists()
    assert removed(mirrors, days=30) == []


def test_the_least_recently_used_mirrors_are_removed_until_the_rest_fits(
    server: GitServer, mirrors: Path
) -> None:
    third = mirrored(server, mirrors, "a", days_ago=3)
    fifth = mirrored(server, mirrors, "b", days_ago=5)
    fourth = mirrored(server, mirrors, "c", days_ago=4)
    size = {path: gone_bytes(path) for path in (third, fourth, fifth)}

    assert removed(mirrors, most_bytes=sum(size.values())) == []
    assert removed(mirrors, most_bytes=size[third]) == [fifth.name, fourth.name]


def gone_bytes(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def test_a_recently_used_mirror_is_kept_at_any_size(server: GitServer, mirrors: Path) -> None:
    mirrored(server, mirrors, "busy", days_ago=0.9)

    assert removed(mirrors, days=1, most_bytes=1) == []


def test_a_fetch_counts_as_a_use_of_the_mirror(server: GitServer, mirrors: Path) -> None:
    mirrored(server, mirrors, "old", days_ago=31)
    read(server, mirrors, "old")

    assert removed(mirrors, days=30) == []


def test_a_mirror_with_a_running_fetch_is_not_removed(server: GitServer, mirrors: Path) -> None:
    folder = mirrored(server, mirrors, "old", days_ago=31)
    with folder.with_suffix(".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert removed(mirrors, days=30) == []

    assert removed(mirrors, days=30) == [folder.name]


def test_the_next_fetch_recreates_a_removed_mirror(server: GitServer, mirrors: Path) -> None:
    folder = mirrored(server, mirrors, "old", days_ago=31)
    removed(mirrors, days=30)

    assert read(server, mirrors, "old") == folder


def test_a_removal_that_was_killed_is_completed(server: GitServer, mirrors: Path) -> None:
    folder = mirrored(server, mirrors, "old", days_ago=31)
    done = subprocess.run([sys.executable, "-c", KILLED, mirrors], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not folder.exists()
    (rest,) = mirrors.glob(".removing-*")

    assert read(server, mirrors, "old") == folder
    assert removed(mirrors, days=30) == []
    assert not rest.exists()
    assert folder.exists()
