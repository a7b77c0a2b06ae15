"""Real kernels for benchmarks: those of every bare git mirror under a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.extract import Extraction, MemoryTree, extract

KNOWN = (".py", ".pyi", ".md", ".jinja", ".j2", ".template", ".txt", ".yaml")


def extractions(mirrors: Path) -> Iterator[tuple[str, Extraction]]:
    """Each kernel with the name of its repository: `mirrors/<owner+name>/repo` is a git folder."""
    for folder in sorted(mirrors.iterdir()):
        git = folder / "repo"
        if (git / "HEAD").exists() and "+" in folder.name:
            for item in extract(MemoryTree(python_files(git))):
                if isinstance(item, Extraction):
                    yield folder.name, item


def python_files(git: Path, prefix: str = "") -> dict[str, bytes]:
    """Return the texts of a mirror's newest commit that may hold kernels, by path."""
    return files(git, lambda path: path.endswith(KNOWN) and path.startswith(prefix))


def files(git: Path, wanted: Callable[[str], bool], commit: str = "HEAD") -> dict[str, bytes]:
    """Return the wanted files of a commit that the mirror holds, by path."""
    listing = _git(git, "ls-tree", "-rz", commit).decode("utf-8", "surrogateescape")
    blobs: list[tuple[str, str]] = []
    for line in filter(None, listing.split("\0")):
        facts, path = line.split("\t", 1)
        mode, kind, name = facts.split()
        if kind == "blob" and mode != "120000" and wanted(path):
            blobs.append((name, path))
    names = "".join(f"{name}\n" for name, _ in blobs).encode()
    batch = _git(git, "cat-file", "--batch", stdin=names)
    texts: dict[str, bytes] = {}
    at = 0
    for _, path in blobs:
        end = batch.index(b"\n", at)
        header = batch[at:end].split()
        at = end + 1
        if header[-1] == b"missing":
            continue
        texts[path] = batch[at : at + int(header[2])]
        at += int(header[2]) + 1
    return texts


def _git(git: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "--git-dir", str(git), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout
