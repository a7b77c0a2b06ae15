import os
import shutil
from pathlib import Path

import pytest

from ingest.git import (
    Absent,
    Blob,
    Limits,
    Problem,
    Progress,
    Selection,
    Snapshot,
    Source,
    SourceKind,
    fetch,
    parse_source,
)
from ingest.git.errors import (
    FetchFailed,
    RepositoryNotFound,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from ingest.git.mirror import mirror_name
from ingest.git.submodules import submodule
from tests.ingest.git.fetching import fetched, fetched_from, remote, served
from tests.ingest.git.http_server import LOCAL_WEB, GitServer, open_file_count
from tests.ingest.git.repositories import File, commit, git, make_repository, plain
from tests.validation.harness.sandbox.confining import processes_saying


def contents(snapshot: Snapshot) -> dict[str, str]:
    return {
        found.path: found.data.decode() if isinstance(found, Blob) else f"! {found.problem}"
        for found in snapshot.read()
    }


def test_a_fetch_downloads_only_selected_files_of_the_default_branch(
    server: GitServer, mirrors: Path
) -> None:
    repository = make_repository(server.root / "repo", branch="trunk")
    newest = commit(repository, plain({"k/a.py": "a", "k/b.py": "b", "big.bin": "x"}), "trunk")

    snapshot = fetched(server, mirrors)

    assert (snapshot.commit, snapshot.ref) == (newest, "refs/heads/trunk")
    assert contents(snapshot) == {"k/a.py": "a", "k/b.py": "b"}
    mirror = mirrors / mirror_name(snapshot.source)
    listed = git(mirror, "rev-list", "--objects", "--missing=print", newest)
    assert [line[0] for line in listed.splitlines()].count("?") == 1


def test_the_number_of_fetch_requests_does_not_grow_with_the_files(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {f"f{n}.py": str(n) for n in range(200)})

    snapshot = fetched(server, mirrors)

    assert len(contents(snapshot)) == 200
    assert len([r for r in server.requests if r.startswith("POST")]) <= 5


def test_fetching_an_unchanged_repository_only_lists_its_refs(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a"})
    first = fetched(server, mirrors)
    server.requests.clear()

    again = fetched(server, mirrors)

    assert again == first
    assert len(server.requests) == 2, "the capabilities, and the refs"


def test_a_wider_selection_fetches_the_missing_files(server: GitServer, mirrors: Path) -> None:
    served(server, {"a.py": "a", "LICENSE": "MIT"})
    fetched(server, mirrors)

    wider = fetched(server, mirrors, selection=Selection(include=()))

    assert contents(wider) == {"a.py": "a", "LICENSE": "MIT"}


@pytest.mark.parametrize("web", [True, False])
def test_a_branch_tag_or_commit_can_be_fetched(server: GitServer, mirrors: Path, web: bool) -> None:
    repository = make_repository(server.root / "repo")
    old = commit(repository, plain({"a.py": "old"}))
    git(repository, "-c", "user.name=t", "-c", "user.email=t@t", "tag", "-am", "one", "v1", old)
    commit(repository, plain({"a.py": "new"}))
    side = commit(repository, plain({"a.py": "side"}), "feature/x")
    source = remote(server) if web else parse_source(str(repository), allow_local=True)

    for ref, text in (("v1", "old"), (old, "old"), ("feature/x", "side"), (side, "side"),
                      ("refs/heads/main", "new"), ("", "new")):  # fmt: skip
        snapshot = fetch(source, mirrors=mirrors, ref=ref, network=LOCAL_WEB)
        assert contents(snapshot) == {"a.py": text}


def test_a_branch_takes_precedence_over_a_tag_of_the_same_name(
    server: GitServer, mirrors: Path
) -> None:
    repository = make_repository(server.root / "repo")
    commit(repository, plain({"a.py": "branch"}), "same")
    other = commit(repository, plain({"a.py": "tag"}))
    git(repository, "tag", "same", other)

    snapshot = fetched(server, mirrors, ref="same")

    assert contents(snapshot) == {"a.py": "branch"}


@pytest.mark.parametrize("web", [True, False])
def test_a_missing_ref_is_reported_with_the_existing_refs(
    server: GitServer, mirrors: Path, web: bool
) -> None:
    repository = served(server, {"a.py": "a"})
    source = remote(server) if web else parse_source(str(repository), allow_local=True)

    with pytest.raises(SourceError, match=r"'gone'.*main"):
        fetch(source, mirrors=mirrors, ref="gone", network=LOCAL_WEB)
    with pytest.raises(SourceError, match="no branch or tag|no longer has"):
        fetch(source, mirrors=mirrors, ref="1" * 40, network=LOCAL_WEB)


@pytest.mark.parametrize("ref", ["--upload-pack=x", "a..b", "a b", "x:y", "a\nb", "@{1}", "x^"])
def test_an_invalid_ref_is_refused(mirrors: Path, ref: str) -> None:
    with pytest.raises(SourceRefused):
        fetch(parse_source("a/b"), mirrors=mirrors, ref=ref)


def test_a_force_pushed_branch_is_fetched_at_its_new_commit(
    server: GitServer, mirrors: Path
) -> None:
    repository = served(server, {"a.py": "before"})
    before = fetched(server, mirrors)
    commit(repository, plain({"a.py": "after"}))

    after = fetched(server, mirrors)

    assert contents(after) == {"a.py": "after"}
    assert contents(before) == {"a.py": "before"}, "what was fetched stays readable"


@pytest.mark.parametrize("web", [True, False])
def test_an_empty_repository_is_reported_as_empty(
    server: GitServer, mirrors: Path, web: bool
) -> None:
    repository = make_repository(server.root / "repo")
    source = remote(server) if web else parse_source(str(repository), allow_local=True)

    with pytest.raises(SourceError, match="is an empty repository"):
        fetch(source, mirrors=mirrors, network=LOCAL_WEB)


def test_a_missing_and_a_private_repository_give_the_same_error(
    server: GitServer, mirrors: Path
) -> None:
    with pytest.raises(RepositoryNotFound, match="private, moved, deleted or misspelt"):
        fetched(server, mirrors)
    server.status = 401
    with pytest.raises(RepositoryNotFound):
        fetched(server, mirrors)


def test_a_failing_or_unreachable_host_can_be_retried(server: GitServer, mirrors: Path) -> None:
    server.status = 503
    with pytest.raises(SourceUnavailable, match="can't be reached"):
        fetched(server, mirrors)
    nobody = Source(SourceKind.REMOTE, "http://127.0.0.1:9/a/b")
    with pytest.raises(SourceUnavailable, match="can't be reached") as failed:
        fetch(nobody, mirrors=mirrors, network=LOCAL_WEB)
    assert failed.value.retry


def test_links_submodules_and_lfs_pointers_are_entries_with_a_problem(
    server: GitServer, mirrors: Path
) -> None:
    repository = make_repository(server.root / "repo")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    listing = b'[submodule "x"]\n\tpath = sub\n\turl = ../other.git\n'
    commit(
        repository,
        [
            File(b"link.py", b"/etc/passwd", "120000"),
            File(b"sub", b"1" * 40, "160000"),
            File(b"big.py", pointer),
            File(b".gitmodules", listing),
            File(b"a.py", b"a"),
        ],
    )

    snapshot = fetched(server, mirrors, selection=Selection(include=()))

    assert contents(snapshot) == {
        ".gitmodules": listing.decode(),
        "a.py": "a",
        "big.py": f"! {Problem.LFS}",
        "link.py": f"! {Problem.SYMLINK}",
        "sub": f"! {Problem.SUBMODULE}",
    }


@pytest.mark.parametrize(
    "listing", [b"[submodule", b"\x00\xff", b"[include]\n\tpath = /etc/passwd\n", b"=\n" * 1000]
)
def test_an_invalid_gitmodules_file_gives_no_submodule(
    mirrors: Path, tmp_path: Path, listing: bytes
) -> None:
    repository = make_repository(tmp_path / "repo")
    commit(repository, [File(b".gitmodules", listing), File(b"x", b"2" * 40, "160000")])
    snapshot = fetched_from(repository, mirrors, selection=Selection(include=()))

    with pytest.raises(SourceRefused, match="gives no address"):
        submodule(snapshot, "x")


def test_a_listed_submodule_becomes_a_separate_source(mirrors: Path, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    listing = b'[submodule "x"]\n\tpath = third_party/x\n\turl = https://github.com/o/x.git\n'
    commit(repository, [File(b".gitmodules", listing), File(b"third_party/x", b"2" * 40, "160000")])
    snapshot = fetched_from(repository, mirrors, selection=Selection(include=()))

    listed = submodule(snapshot, "third_party/x")

    assert (listed.source, listed.commit) == (parse_source("o/x"), "2" * 40)
    with pytest.raises(SourceRefused):
        submodule(snapshot, "third_party/y")


def test_reading_an_absent_blob_gives_a_problem_and_fetches_nothing(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a", "b.md": "b"})
    fetched(server, mirrors)
    partial = mirrors / mirror_name(remote(server))
    git(partial, "symbolic-ref", "HEAD", "refs/incoming")
    server.requests.clear()

    snapshot = fetched_from(partial, mirrors, selection=Selection(include=()))

    assert contents(snapshot) == {"a.py": "a", "b.md": f"! {Problem.ABSENT}"}
    assert server.requests == []


def test_an_open_snapshot_reads_one_path_at_a_time(server: GitServer, mirrors: Path) -> None:
    repository = make_repository(server.root / "repo")
    commit(repository, [*plain({"a.py": "a", "b.py": ""}), File(b"l.py", b"a.py", "120000")])
    snapshot = fetched(server, mirrors)
    before = open_file_count()

    with snapshot.open() as tree:
        assert list(tree.paths()) == ["a.py", "b.py"]
        assert [tree.read(p) for p in ("b.py", "a.py", "l.py", "../x", "none")] == [
            b"", b"a", None, None, None,
        ]  # fmt: skip
        half_read = tree.read_all(["a.py", "b.py", "none"])
        next(half_read)
        assert tree.read("a.py") == b"a"
    assert open_file_count() == before
    assert list(snapshot.read(["none"])) == [Absent("none", Problem.UNKNOWN)]


def test_a_transfer_above_its_size_limit_is_stopped(server: GitServer, mirrors: Path) -> None:
    repository = make_repository(server.root / "repo")
    commit(repository, [File(b"a.py", os.urandom(400_000))])

    with pytest.raises(SourceError, match=r"more than 0\.1 MB"):
        fetched(server, mirrors, limits=Limits(transfer_bytes=100_000))


def test_a_stalled_fetch_ends_at_the_deadline_without_git_processes(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a"})
    server.stall_seconds = 20

    with pytest.raises(SourceUnavailable, match=r"1\.5 seconds"):
        fetched(server, mirrors, limits=Limits(seconds=1.5))

    mirror = mirrors / mirror_name(remote(server))
    assert processes_saying(str(mirror)) == []
    server.stall_seconds = 0
    assert contents(fetched(server, mirrors)) == {"a.py": "a"}


def test_a_fetch_reports_progress_of_each_stage(server: GitServer, mirrors: Path) -> None:
    served(server, {"a.py": "a", "b.py": "b"})
    told: list[Progress] = []

    fetched(server, mirrors, progress=told.append)

    stages = [p.stage for p in told]
    assert "asking for the newest commit" in stages
    assert "fetching 2 files" in stages


def test_a_damaged_mirror_is_recreated(server: GitServer, mirrors: Path) -> None:
    served(server, {"a.py": "a"})
    fetched(server, mirrors)
    mirror = mirrors / mirror_name(remote(server))
    (mirror / "HEAD").write_text("nonsense")
    shutil.rmtree(mirror / "refs")

    snapshot = fetched(server, mirrors)

    assert contents(snapshot) == {"a.py": "a"}


def test_a_mirror_with_a_broken_pack_is_discarded_for_the_next_fetch(
    server: GitServer, mirrors: Path
) -> None:
    served(server, {"a.py": "a"})
    fetched(server, mirrors)
    for pack in (mirrors / mirror_name(remote(server))).glob("objects/pack/*.pack"):
        pack.chmod(0o600)
        pack.write_bytes(pack.read_bytes()[:20])

    with pytest.raises(FetchFailed) as failed:
        fetched(server, mirrors)

    assert failed.value.retry
    assert contents(fetched(server, mirrors)) == {"a.py": "a"}


def test_git_hooks_of_a_mirror_do_not_run(server: GitServer, mirrors: Path, tmp_path: Path) -> None:
    repository = served(server, {"a.py": "a"})
    fetched(server, mirrors)
    hook = mirrors / mirror_name(remote(server)) / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    commit(repository, plain({"a.py": "b"}))

    fetched(server, mirrors)

    assert not (tmp_path / "ran").exists()


def test_a_server_without_partial_clone_support_works(server: GitServer, mirrors: Path) -> None:
    repository = make_repository(server.root / "repo")
    git(repository, "config", "uploadpack.allowFilter", "false")
    commit(repository, plain({"a.py": "a", "b.md": "b"}))

    assert contents(fetched(server, mirrors)) == {"a.py": "a"}


def test_a_sha256_repository_of_another_owner_can_be_read(tmp_path: Path, mirrors: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", ".")
    newest = commit(folder, plain({"a.py": "a"}))
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)

    snapshot = fetched_from(folder, mirrors)

    assert (len(snapshot.commit), snapshot.commit) == (64, newest)
    assert contents(snapshot) == {"a.py": "a"}


def test_a_fetch_without_git_installed_is_refused(
    tmp_path: Path, mirrors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "repo")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SourceError, match="install git 2.32"):
        fetched_from(repository, mirrors)


def test_similar_urls_have_distinct_mirrors() -> None:
    names = {
        mirror_name(parse_source(text)) for text in ("a/b", "https://gitlab.com/a/b", "a/b.", "a/B")
    }

    assert len(names) == 4
    assert all("/" not in name and not name.startswith(".") for name in names)


def test_a_worktree_is_read_through_the_repository_it_belongs_to(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    commit(repository, plain({"a.py": "a"}))
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    (tmp_path / "tree" / "a.py").write_text("not committed")

    snapshot = fetched_from(tmp_path / "tree", mirrors)

    assert contents(snapshot) == {"a.py": "a"}
