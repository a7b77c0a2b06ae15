"""Fetch of the selected files of a source at one commit. The result is a snapshot."""

import os
from dataclasses import dataclass
from pathlib import Path

from ingest.git.command import Git
from ingest.git.errors import FetchFailed, Redirected, SourceError, SourceRefused
from ingest.git.failure import failure
from ingest.git.folder import folder_snapshot
from ingest.git.globs import Selection
from ingest.git.hosts import Network, pinned_addresses
from ingest.git.limits import Deadline, Limits, OnProgress, Progress, silent
from ingest.git.mirror import Mirror, damaged, discard, locked_mirror
from ingest.git.objects import GitObjects, list_tree, measured, reader, sizes_of
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
    """Return the selected files of `source` at `ref` (or its default branch). Raises SourceError.

    A remote is mirrored below `mirrors`, with the selected blobs only. A second call continues an
    interrupted fetch, or costs one request if the commit is unchanged. `network` limits the servers
    that git connects to.
    """
    limits = limits or Limits()
    deadline = Deadline.after(limits.seconds)
    job = _Fetch(
        source, mirrors, check_ref(ref), selection or Selection(), limits, deadline, progress
    )
    match source.kind:
        case SourceKind.FOLDER:
            if ref:
                raise SourceRefused(f"{source} is a plain folder: it has no branch, tag or commit.")
            progress(Progress("reading the folder"))
            return folder_snapshot(source, job.selection.matcher(), limits, deadline)
        case SourceKind.REPOSITORY:
            return job.from_disk()
        case SourceKind.REMOTE:
            return job.from_remote(network)


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One fetch from a local or remote repository, with its limits."""

    source: Source
    mirrors: Path
    ref: str
    selection: Selection
    limits: Limits
    deadline: Deadline
    progress: OnProgress

    def from_disk(self) -> Snapshot:
        source, folder = self.source, Path(self.source.location)
        git_folder = folder / ".git" if (folder / ".git").is_dir() else folder
        if (folder / ".git").is_file():  # in a work tree or submodule, .git is a file
            git_folder = _linked_git_folder(folder)
        git = Git(git_folder, self.deadline, bounds=self.limits.git)
        objects = git.run("rev-parse", "--git-path", "objects")
        if objects.code != 0:
            raise failure(objects, str(source))
        target = local_target(git, source, self.ref)
        shape = git.run("rev-parse", "--show-object-format").output.decode().strip()
        store = self._store((git_folder / os.fsdecode(objects.output.strip())).resolve(), shape)
        git = store.git(self.deadline)
        entries = list_tree(git, target.commit, self.selection.matcher(), self.limits)
        entries = measured(git, entries, self.limits)
        return Snapshot(source, target.commit, target.ref, entries, store)

    def from_remote(self, network: Network) -> Snapshot:
        pinned = pinned_addresses(self.source, network)
        with locked_mirror(
            self.mirrors, self.source, self.limits, self.deadline, network.protocols, pinned,
            self.progress,
        ) as mirror:  # fmt: skip
            try:
                return self._from_mirror(mirror)
            except Redirected:
                # GitHub redirects requests for a repository's old name to its new name.
                mirror.follow_redirect()
                return self._from_mirror(mirror)

    def _from_mirror(self, mirror: Mirror) -> Snapshot:
        self.progress(Progress("asking for the newest commit"))
        target = remote_target(mirror.network, self.source, self.ref)
        commit = target.commit
        if not mirror.has_commit(commit):
            self.progress(Progress("fetching the list of files"))
            commit = mirror.fetch_commit(target.wanted)
        shape = "sha1" if len(commit) == 40 else "sha256"
        store = self._store(mirror.objects.resolve(), shape)
        git = store.git(self.deadline)
        try:
            entries = list_tree(git, commit, self.selection.matcher(), self.limits)
            missing = _missing(git, entries)
            if missing:
                self.progress(Progress(f"fetching {len(missing)} files"))
                mirror.fetch_blobs(missing)
            entries = measured(git, entries, self.limits)
        except FetchFailed:
            # Discard a mirror that git can't walk, so that the next attempt creates a new one.
            if damaged(mirror):
                discard(mirror.folder)
            raise
        return Snapshot(self.source, commit, target.ref, entries, store)

    def _store(self, objects: Path, object_format: str) -> GitObjects:
        folder = reader(self.mirrors, self.source, self.deadline, object_format)
        return GitObjects(folder, objects, self.limits.git)


def _missing(git: Git, entries: tuple[Entry, ...]) -> list[str]:
    readable = dict.fromkeys(entry.blob for entry in entries if entry.problem is None)
    return [blob for blob, size in sizes_of(git, readable).items() if size is None]


def _linked_git_folder(folder: Path) -> Path:
    try:
        text = (folder / ".git").read_text("utf-8")[:4096]
    except (OSError, UnicodeDecodeError):
        text = ""
    if not text.startswith("gitdir:"):
        raise SourceError(f"{folder} has a .git file that names no git directory.")
    return (folder / text.removeprefix("gitdir:").strip()).resolve()
