"""Repositories of a test, served or on disk, and snapshots of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.git import Snapshot, Source, SourceKind, fetch, parse_source
from tests.ingest.git.http_server import LOCAL_WEB, GitServer
from tests.ingest.git.repositories import commit, make_repository, plain


def remote(server: GitServer, name: str = "repo") -> Source:
    return Source(SourceKind.REMOTE, server.url(name))


def served(server: GitServer, files: Mapping[str, str]) -> Path:
    """Return a new repository of the server with one commit of these files."""
    repository = make_repository(server.root / "repo")
    commit(repository, plain(files))
    return repository


def fetched(server: GitServer, mirrors: Path, **options: Any) -> Snapshot:
    return fetch(remote(server), mirrors=mirrors, network=LOCAL_WEB, **options)


def fetched_from(folder: Path, mirrors: Path, **options: Any) -> Snapshot:
    """Return the snapshot of a repository or a folder on disk."""
    return fetch(parse_source(str(folder), allow_local=True), mirrors=mirrors, **options)
