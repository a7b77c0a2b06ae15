"""Lookup of the known source of a local clone, by the addresses in its git configuration.

If a benchmark is excluded, a local clone of it must be excluded too.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from curation.errors import CurationError
from curation.models import Origin, Repository
from ingest.git import SourceKind, parse_source
from ingest.git.config_file import read_sections
from ingest.git.source import GITHUB

# Columns that a clone copies from its source. Name, URL and branch are not copied.
SHARED = (
    "category", "role", "tier", "sparse_paths", "include_globs", "exclude_globs",
    "key_files", "expected_license", "upsampling_weight", "estimated_tokens_low",
    "estimated_tokens_high", "refresh_days",
)  # fmt: skip
LONGEST = 1_000_000


def as_its_original(folder: Path) -> dict[str, Any]:
    """Return the columns that a clone copies from its source. Without a known source: none."""
    original = original_of(folder)
    return {column: getattr(original, column) for column in SHARED} if original else {}


def original_of(folder: Path) -> Repository | None:
    """Return the known source that a folder was cloned from, or None."""
    for address in _addresses(folder):
        original = Repository.objects.filter(origin=Origin.GIT, url__iexact=address).first()
        if original is not None:
            return original
    return None


def remote_of(folder: Path) -> str:
    """Return the first GitHub address in a clone's configuration, or "".

    Addresses of other hosts are ignored, because they may be in a private network.
    """
    github = (address for address in _addresses(folder) if urlsplit(address).netloc == GITHUB)
    return next(github, "")


def _addresses(folder: Path) -> list[str]:
    """Return the remote addresses of a work tree or a bare repository, in file order."""
    # In a work tree, the section of a remote has a `fetch` line, and that of a submodule has none.
    for config, required_keys in (
        (folder / ".git" / "config", {"url", "fetch"}),
        (folder / "config", {"url"}),
    ):
        try:
            with config.open("rb") as file:
                sections = read_sections(file.read(LONGEST))
        except OSError:
            continue
        urls = [section["url"] for section in sections if required_keys <= section.keys()]
        return [address for url in urls if (address := _canonical(url))]
    return []


def _canonical(url: str) -> str:
    # Clones with push access have addresses like git@host:owner/name or ssh://git@host/owner/name.
    if "://" not in url and url.startswith("git@"):
        url = "https://" + url.removeprefix("git@").replace(":", "/", 1)
    elif url.startswith("ssh://git@"):
        url = "https://" + url.removeprefix("ssh://git@")
    try:
        source = parse_source(url)
    except CurationError:
        return ""
    return source.location if source.kind is SourceKind.REMOTE else ""
