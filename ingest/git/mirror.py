"""Bare, shallow, blobless mirror of one remote repository, and its operations.

A mirror is a cache that only one process at a time may use. Files that a killed process left are
removed, and a damaged mirror is created again.
"""

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.git.command import Git
from ingest.git.config_file import write_settings
from ingest.git.errors import FetchFailed, SourceError, SourceUnavailable
from ingest.git.failure import disk_failure, failure
from ingest.git.hosts import redirect_target
from ingest.git.limits import MEGABYTE, Deadline, Limits, OnProgress, Progress
from ingest.git.source import Source

# Maximum blobs per request. After a killed fetch, at most this number is fetched again.
BATCH = 4_000
SLACK_BYTES = 100 * MEGABYTE
_LOCK_POLL_SECONDS = 0.1
_INCOMING = "refs/incoming"


@dataclass(frozen=True, slots=True)
class Mirror:
    """A mirror that is locked for this process."""

    folder: Path
    source: Source
    network: Git
    local: Git

    @property
    def objects(self) -> Path:
        return self.folder / "objects"

    def has_commit(self, commit: str) -> bool:
        """Return whether a commit and its trees were fetched. If they were, a ref to it exists."""
        ref = _kept_ref(commit)
        return self.local.run("rev-parse", "--verify", "--quiet", ref).output.strip() != b""

    def fetch_commit(self, name: str) -> str:
        """Fetch a commit by full ref name or commit id, with its trees and without blobs."""
        refspec = f"+{name}:{_INCOMING}"
        self._fetch("--depth=1", "origin", refspec)
        result = self.local.run("rev-parse", "--verify", "--quiet", f"{_INCOMING}^{{commit}}")
        commit = result.output.decode().strip()
        if not commit:
            raise FetchFailed(f"{name} of {self.source} does not lead to a commit.")
        self.local.run("update-ref", _kept_ref(commit), commit)
        return commit

    def fetch_blobs(self, blobs: list[str]) -> None:
        """Fetch exactly the blobs with these ids."""
        for start in range(0, len(blobs), BATCH):
            feed = "".join(f"{blob}\n" for blob in blobs[start : start + BATCH]).encode()
            # Commits in the mirror lack blobs, so git must not assume that blobs are present.
            self._fetch("--stdin", "origin", feed=feed, negotiation="noop")

    def follow_redirect(self) -> None:
        """Change the URL of the remote to the address to which the server redirects."""
        asking = replace(self.network, trace_headers=True)
        answer = asking.run("ls-remote", "--quiet", "origin", "HEAD")
        address = redirect_target(answer.complaint, self.source)
        write_settings(self.folder / "config", {('remote "origin"', "url"): address})

    def _fetch(self, *arguments: str, feed: bytes = b"", negotiation: str = "default") -> None:
        finished = self.network.run(
            "-c", f"fetch.negotiationAlgorithm={negotiation}",
            "fetch", "--quiet", "--no-tags", "--recurse-submodules=no", "--no-write-fetch-head",
            "--filter=blob:none", *arguments, feed=feed,
        )  # fmt: skip
        if finished.code != 0:
            raise failure(finished, str(self.source))


@contextmanager
def locked_mirror(
    mirrors: Path,
    source: Source,
    limits: Limits,
    deadline: Deadline,
    protocols: tuple[str, ...],
    pinned: str,
    on_progress: OnProgress,
) -> Iterator[Mirror]:
    """Yield the source's mirror, locked for this process. It is created or cleaned if needed.

    pinned: the addresses of the source's host, from `pinned_addresses`.
    """
    folder = mirrors / mirror_name(source)
    try:
        mirrors.mkdir(parents=True, exist_ok=True)
        with _lock(folder.with_suffix(".lock"), source, deadline, on_progress) as lock:
            local = Git(folder, deadline, bounds=limits.git)
            _prepare(folder, source, pinned, local)
            watch = _Watch(folder / "objects" / "pack", source, limits, on_progress)
            # If this process ends before its git process, the git process still holds the lock.
            network = Git(
                folder,
                deadline,
                protocols=protocols,
                watch=watch.check,
                keep_open=(lock,),
                # In addition, `watch` checks the size of the packs ten times a second.
                bounds=replace(limits.git, file_bytes=limits.transfer_bytes + SLACK_BYTES),
            )
            watch.check()
            try:
                yield Mirror(folder, source, network, local)
            except BaseException:
                _clear_leftovers(folder)
                raise
            watch.check()
    except OSError as error:
        raise disk_failure(error, str(source)) from error


def mirror_name(source: Source) -> str:
    """Return a readable folder name. Its hash distinguishes similar addresses."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "+", source.location.removeprefix("https://"))
    digest = hashlib.sha256(source.location.encode()).hexdigest()[:10]
    return f"{readable.strip('+')[:80]}-{digest}.git"


def damaged(mirror: Mirror) -> bool:
    """Return whether git fails to walk all commits and trees. A mirror need not hold all files.

    `--missing=allow-any` can't be used, because git 2.47 then also accepts a missing commit (2.39
    does not).
    """
    checked = mirror.local.run("rev-list", "--all", "--objects", "--filter=blob:none", "--quiet")
    return checked.code != 0


def discard(folder: Path) -> None:
    """Remove a mirror from the disk."""
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _lock(path: Path, source: Source, deadline: Deadline, on_progress: OnProgress) -> Iterator[int]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        reported = False
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if deadline.passed():
                    raise SourceUnavailable(
                        f"Another process has been fetching {source} for "
                        f"{deadline.seconds:g} seconds; try again later."
                    ) from None
            if not reported:
                on_progress(Progress("waiting for another fetch of this repository"))
                reported = True
            time.sleep(_LOCK_POLL_SECONDS)
        # Record the time of this use for `ingest.git.unused`.
        os.utime(handle)
        yield handle
    finally:
        os.close(handle)


def _prepare(folder: Path, source: Source, pinned: str, git: Git) -> None:
    """Create the mirror if it is missing. Remove the leftovers of a killed git process."""
    _clear_leftovers(folder)
    if git.run("rev-parse", "--is-bare-repository").output.strip() != b"true":
        discard(folder)
        made = git.run("init", "--quiet", "--bare", "--template=")
        if made.code != 0:
            raise failure(made, str(source))
        (folder / "refs" / "commits").mkdir(parents=True, exist_ok=True)
    settings = {
        ("core", "repositoryformatversion"): "1",
        ("extensions", "partialClone"): "origin",
        # Only git 2.37 and newer read this setting. An empty value means that no address is pinned.
        ("http", "curloptResolve"): pinned,
        ('remote "origin"', "url"): source.location,
        ('remote "origin"', "promisor"): "true",
        ('remote "origin"', "partialclonefilter"): "blob:none",
    }
    write_settings(folder / "config", settings)


def _clear_leftovers(folder: Path) -> None:
    for stale in [*folder.rglob("*.lock"), *(folder / "objects" / "pack").glob("tmp_*")]:
        stale.unlink(missing_ok=True)


def _kept_ref(commit: str) -> str:
    return f"refs/commits/{commit}"


class _Watch:
    """Check of the growing packs against the limits, with progress reports."""

    __slots__ = ("_limits", "_on_progress", "_packs", "_source", "_start")

    def __init__(
        self, packs: Path, source: Source, limits: Limits, on_progress: OnProgress
    ) -> None:
        self._packs = packs
        self._source = source
        self._limits = limits
        self._on_progress = on_progress
        self._start = self._size()

    def check(self) -> None:
        size = self._size()
        received = size - self._start
        if received > self._limits.transfer_bytes:
            raise SourceError(
                f"{self._source} sends more than {_megabytes(self._limits.transfer_bytes)}; "
                "narrow its sparse paths or raise the limit."
            )
        if size > self._limits.mirror_bytes:
            raise SourceError(
                f"The mirror of {self._source} exceeds {_megabytes(self._limits.mirror_bytes)}; "
                "remove it or raise the limit."
            )
        if shutil.disk_usage(self._packs).free < self._limits.free_disk_bytes:
            raise SourceUnavailable(
                f"Less than {_megabytes(self._limits.free_disk_bytes)} are free on the disk of "
                f"the data folder: {self._source} was not fetched; free some space."
            )
        self._on_progress(Progress("receiving", max(received, 0)))

    def _size(self) -> int:
        total = 0
        with os.scandir(self._packs) as listing:
            for item in listing:
                try:
                    total += item.stat(follow_symlinks=False).st_size
                except FileNotFoundError:  # git has just renamed a finished pack
                    continue
        return total


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:g} MB"
