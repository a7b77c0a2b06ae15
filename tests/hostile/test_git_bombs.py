"""Objects that are small as they come and inflate to gigabytes: git ends within its bounds."""

from pathlib import Path

import pytest

from ingest.git import Limits, fetch, parse_source
from ingest.git.command import Git
from ingest.git.errors import SourceError
from ingest.git.limits import MEGABYTE, Bounds, Deadline
from ingest.git.source import Source, SourceKind
from tests.ingest.git.http_server import LOCAL_WEB, GitServer
from tests.ingest.git.packs import LONGEST_COPY, blob, delta, name, pack
from tests.ingest.git.repositories import commit, commit_tree, git, make_repository, plain

pytestmark = pytest.mark.slow

SMALL = Bounds(memory=400 * MEGABYTE)


def test_index_pack_stops_at_a_small_pack_that_inflates_to_gigabytes(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    first = blob(bytes(LONGEST_COPY))
    bomb = pack([first, delta(name(LONGEST_COPY), LONGEST_COPY, [LONGEST_COPY] * 190)])
    assert len(bomb) < 50_000
    peak = Peak()

    with pytest.raises(SourceError, match="Git needs more than 2,000 MB of memory"):
        Git(repository, Deadline.after(120), watch=peak.look).run(
            "index-pack", "--stdin", feed=bomb
        )

    assert 0 < peak.megabytes < 400


def test_a_tree_that_inflates_beyond_the_memory_limit_is_refused(
    server: GitServer, mirrors: Path
) -> None:
    repository = make_repository(server.root / "repo.git")
    entry = b"100644 f%07d\0" + bytes(20)
    tree = b"".join(entry % number for number in range(3_000_000))
    made = git(repository, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", feed=tree)
    del tree
    commit_tree(repository, made)

    with pytest.raises(SourceError, match="Git needs more than 80 MB of memory"):
        fetch(
            Source(SourceKind.REMOTE, server.url("repo.git")),
            mirrors=mirrors,
            limits=Limits(git=Bounds(memory=80 * MEGABYTE)),
            network=LOCAL_WEB,
        )


def test_reading_a_small_delta_on_a_huge_base_stops_at_the_memory_limit(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    size = 40 * LONGEST_COPY
    objects = [
        blob(bytes(LONGEST_COPY)),
        delta(name(LONGEST_COPY), LONGEST_COPY, [LONGEST_COPY] * 40),
        delta(name(size), size, [1000]),
    ]
    git(repository, "index-pack", "--stdin", feed=pack(objects))
    listing = f"100644 blob {name(1000).hex()}\tsmall.py\n".encode()
    commit_tree(repository, git(repository, "mktree", feed=listing))
    source = parse_source(str(repository), allow_local=True)
    snapshot = fetch(source, mirrors=mirrors, limits=Limits(git=SMALL))
    assert [entry.size for entry in snapshot.entries] == [1000]

    with pytest.raises(SourceError, match="Git needs more than 400 MB of memory"):
        list(snapshot.read())


def test_git_output_stops_at_the_file_size_limit(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    made = commit(repository, plain({"a.txt": "x" * 10_000_000}))
    bounded = Git(repository, Deadline.after(60), bounds=Bounds(file_bytes=1_000_000))

    with pytest.raises(SourceError, match="a file of 1 MB"):
        bounded.run("cat-file", "blob", f"{made}:a.txt")


class Peak:
    """The highest memory of a child of this process, looked up while it runs."""

    megabytes = 0

    def look(self) -> None:
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                self._look(Path("/proc", child, "status"))

    def _look(self, status: Path) -> None:
        try:
            lines = status.read_text().splitlines()
        except OSError:
            return
        for line in lines:
            if line.startswith("VmHWM"):
                self.megabytes = max(self.megabytes, int(line.split()[1]) // 1024)
