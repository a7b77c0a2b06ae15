"""Submodules of a snapshot, as sources that can be fetched."""

from dataclasses import dataclass
from urllib.parse import urljoin

from ingest.git.config_file import read_sections
from ingest.git.errors import SourceRefused
from ingest.git.snapshot import Blob, Problem, Snapshot
from ingest.git.source import Source, SourceKind, parse_source, shown

LISTED_IN = ".gitmodules"


@dataclass(frozen=True, slots=True)
class Submodule:
    """Path of a submodule, its source, and the commit that the parent repository names."""

    path: str
    source: Source
    commit: str


def submodule(snapshot: Snapshot, path: str) -> Submodule:
    """Return the submodule at `path`. The snapshot must include this path and .gitmodules."""
    commits = {e.path: e.blob for e in snapshot.entries if e.problem is Problem.SUBMODULE}
    if path not in commits:
        raise SourceRefused(f"{snapshot.source} has no submodule at {shown(path)}.")
    url = _urls(snapshot).get(path, "")
    if not url:
        raise SourceRefused(f"{LISTED_IN} of {snapshot.source} gives no address for {shown(path)}.")
    if url.startswith(("./", "../")):
        if snapshot.source.kind is not SourceKind.REMOTE:
            raise SourceRefused(f"The submodule {shown(path)} is relative to a local folder.")
        url = urljoin(f"{snapshot.source.location}/", url)
    return Submodule(path, parse_source(url), commits[path])


def _urls(snapshot: Snapshot) -> dict[str, str]:
    file = next(iter(snapshot.read([LISTED_IN])))
    sections = read_sections(file.data) if isinstance(file, Blob) else []
    return {s["path"]: s["url"] for s in sections if "path" in s and "url" in s}
