"""Fetch of the selected files of a source at one commit: from a name to a snapshot."""

import os
from pathlib import Path

from ingest.git.command import Git
from ingest.git.errors import FetchFailed, Redirected, SourceError, SourceRefused
from ingest.git.failure import failure
from ingest.git.folder import folder_snapshot
from ingest.git.globs import Selection
from ingest.git.hosts import Network, pinned_addresses
from ingest.git.limits import Deadline, Limits, OnProgress, Progress, silent
from ingest.git.mirror import Mirror, damaged, discard, locked_mirror
from ingest.git.objects import GitObjects, list_tree, measured, sizes_of
from ingest.git.reader import reader
from ingest.git.refs import check_ref, local_target, remote_target
from ingest.git.snapshot import Entry, Snapshot
from ingest.git.source import Source, SourceKind


def fetch(
    source: Source,
    *,
    mirrors: Path,
    ref: str = "",
    selection: Selection | None = None,
    limits: Limits | None = None,
    progress: OnProgress = silent,
    network: Network = Network(),  # noqa: B008 - frozen
) -> Snapshot:
    """Return the selected files of `source` at `ref` (its default branch). Raises SourceError.

    A remote is mirrored below `mirrors`, with the selected blobs only. Another call continues an
    interrupted fetch, and costs one request if the commit is unchanged. `network` bounds the
    servers that git connects to.
    """
    selection = selection or Selection()
    limits = limits or Limits()
    deadline = Deadline.after(limits.seconds)
    ref = check_ref(ref)
    match source.kind:
        case SourceKind.FOLDER:
            if ref:
                raise SourceRefused(f"{source} is a plain folder: it has no branch, tag or commit.")
            progress(Progress("reading the folder"))
            return folder_snapshot(source, selection.matcher(), limits, deadline)
        case SourceKind.REPOSITORY:
            return _local(source, mirrors, ref, selection, limits, deadline)
        case SourceKind.REMOTE:
            return _remote(source, mirrors, ref, selection, limits, deadline, progress, network)


def _local(
    source: Source,
    mirrors: Path,
    ref: str,
    selection: Selection,
    limits: Limits,
    deadline: Deadline,
) -> Snapshot:
    folder = Path(source.location)
    git_folder = folder / ".git" if (folder / ".git").is_dir() else folder
    if (folder / ".git").is_file():  # a work tree or a submodule: its git directory is elsewhere
        git_folder = _linked_git_folder(folder)
    git = Git(git_folder, deadline, bounds=limits.git)
    objects = git.run("rev-parse", "--git-path", "objects")
    if objects.code != 0:
        raise failure(objects, str(source))
    target = local_target(git, source, ref)
    shape = git.run("rev-parse", "--show-object-format").output.decode().strip()
    empty = reader(mirrors, source, deadline, shape)
    place = (git_folder / os.fsdecode(objects.output.strip())).resolve()
    store = GitObjects(empty, place, limits.git)
    git = store.git(deadline)
    entries = list_tree(git, target.commit, selection.matcher(), limits)
    return Snapshot(source, target.commit, target.ref, measured(git, entries, limits), store)


def _remote(
    source: Source,
    mirrors: Path,
    ref: str,
    selection: Selection,
    limits: Limits,
    deadline: Deadline,
    progress: OnProgress,
    network: Network,
) -> Snapshot:
    pinned = pinned_addresses(source, network)
    with locked_mirror(
        mirrors, source, limits, deadline, network.protocols, pinned, progress
    ) as mirror:
        try:
            return _mirrored(mirror, mirrors, ref, selection, limits, deadline, progress)
        except Redirected:
            # GitHub redirects the old name of a repository.
            mirror.follow_redirect()
            return _mirrored(mirror, mirrors, ref, selection, limits, deadline, progress)


def _mirrored(
    mirror: Mirror,
    mirrors: Path,
    ref: str,
    selection: Selection,
    limits: Limits,
    deadline: Deadline,
    progress: OnProgress,
) -> Snapshot:
    source = mirror.source
    progress(Progress("asking for the newest commit"))
    target = remote_target(mirror.network, source, ref)
    commit = target.commit
    if not mirror.has_commit(commit):
        progress(Progress("fetching the list of files"))
        commit = mirror.fetch_commit(target.wanted)
    empty = reader(mirrors, source, deadline, "sha1" if len(commit) == 40 else "sha256")
    store = GitObjects(empty, mirror.objects.resolve(), limits.git)
    git = store.git(deadline)
    try:
        entries = list_tree(git, commit, selection.matcher(), limits)
        missing = _missing(git, entries)
        if missing:
            progress(Progress(f"fetching {len(missing)} files"))
            mirror.fetch_blobs(missing)
        entries = measured(git, entries, limits)
    except FetchFailed:
        _forget_if_damaged(mirror)
        raise
    return Snapshot(source, commit, target.ref, entries, store)


def _missing(git: Git, entries: tuple[Entry, ...]) -> list[str]:
    readable = dict.fromkeys(entry.blob for entry in entries if entry.problem is None)
    return [blob for blob, size in sizes_of(git, readable).items() if size is None]


def _forget_if_damaged(mirror: Mirror) -> None:
    """Remove a mirror that git can't walk. The next attempt makes it again."""
    if damaged(mirror):
        discard(mirror.folder)


def _linked_git_folder(folder: Path) -> Path:
    try:
        text = (folder / ".git").read_text("utf-8")[:4096]
    except (OSError, UnicodeDecodeError):
        text = ""
    if not text.startswith("gitdir:"):
        raise SourceError(f"{folder} has a .git file that names no git directory.")
    return (folder / text.removeprefix("gitdir:").strip()).resolve()
