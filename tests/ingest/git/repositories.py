"""Real git repositories, made by `git fast-import` so that any tree can be had in no time."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


def git(folder: Path, *arguments: str, feed: bytes = b"") -> str:
    """Run git for a test's own arrangement."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=ENVIRONMENT,
        input=feed,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


@dataclass(frozen=True, slots=True)
class File:
    """One path; `mode` makes it a link (120000) or a submodule (160000, its data a commit)."""

    path: bytes
    data: bytes
    mode: str = "100644"


def plain(files: Mapping[str, str]) -> list[File]:
    return [File(path.encode(), text.encode()) for path, text in files.items()]


def make_repository(folder: Path, branch: str = "main") -> Path:
    """An empty bare repository that serves partial clones."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", f"--initial-branch={branch}", ".")
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(folder, "config", name, "true")
    return folder


def commit(repository: Path, files: Iterable[File], branch: str = "main") -> str:
    """Make `branch` one new commit without a parent, with these files; returns its id."""
    parts = [
        b"commit refs/heads/%s\n" % branch.encode(),
        b"committer Test <test@example.org> 1700000000 +0000\ndata 0\ndeleteall\n",
    ]
    for file in files:
        quoted = b'"' + b"".join(_quoted(byte) for byte in file.path) + b'"'
        if file.mode == "160000":
            parts.append(b"M 160000 %s %s\n" % (file.data, quoted))
            continue
        parts.append(b"M %s inline %s\n" % (file.mode.encode(), quoted))
        parts.append(b"data %d\n%s\n" % (len(file.data), file.data))
    stream = b"reset refs/heads/%s\n\n" % branch.encode() + b"".join(parts)
    git(repository, "fast-import", "--quiet", "--force", feed=stream)
    return git(repository, "rev-parse", f"refs/heads/{branch}")


def commit_tree(repository: Path, tree: str) -> str:
    """Make `main` a commit of a tree that git itself would not write; return its id."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    made = git(repository, *identity, "commit-tree", "-m", "", tree)
    git(repository, "update-ref", "refs/heads/main", made)
    return made


def _quoted(byte: int) -> bytes:
    return bytes([byte]) if 32 < byte < 127 and byte not in b'"\\' else b"\\%03o" % byte
