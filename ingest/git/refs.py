"""Finds the commit that a branch, a tag, a commit id, or nothing (the default branch) names."""

import re
from dataclasses import dataclass

from ingest.git.command import Git
from ingest.git.errors import FetchFailed, RefNotFound, RepositoryEmpty, SourceRefused
from ingest.git.failure import failure
from ingest.git.source import Source, shown

FULL_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(
    r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\s\x00-\x20\x7f~^:?*\[\\/.-][^\s\x00-\x20\x7f~^:?*\[\\]*"
)


@dataclass(frozen=True, slots=True)
class Target:
    """What to fetch: a full ref name (empty for a bare commit id) and the commit it names now."""

    ref: str
    commit: str

    @property
    def wanted(self) -> str:
        return self.ref or self.commit


def check_ref(ref: str) -> str:
    """The ref as git may be given it; raises SourceRefused for what can be no ref."""
    ref = ref.strip()
    if ref and (not _REF.fullmatch(ref) or ref.endswith(("/", "."))):
        raise SourceRefused(f"{shown(ref)} can't be the name of a branch, a tag or a commit.")
    return ref


def remote_target(git: Git, source: Source, ref: str) -> Target:
    """Ask the remote; one request, or two when it has no such ref."""
    if FULL_COMMIT.fullmatch(ref):
        return Target("", ref)
    candidates = _candidates(ref)
    peeled = [f"{name}^{{}}" for name in candidates]
    found, head = _remote_refs(git, source, *candidates, *peeled)
    if not ref and head:
        candidates = [head, "HEAD"]
    for name in candidates:
        if name in found or (name == head and "HEAD" in found):
            commit = found.get(f"{name}^{{}}") or found.get(name) or found["HEAD"]
            return Target(name, commit)
    branches, _ = _remote_refs(git, source, "refs/heads/*")
    if not branches and not _remote_refs(git, source)[0]:
        raise RepositoryEmpty(f"{source} is an empty repository: it has no commit yet.")
    raise _no_such_ref(source, ref, sorted(branches))


def local_target(git: Git, source: Source, ref: str) -> Target:
    """Look into a repository on this disk."""
    names = ["HEAD"] if not ref else [ref] if FULL_COMMIT.fullmatch(ref) else _candidates(ref)
    for name in names:
        found = git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if found.code == 0:
            full = name
            if name == "HEAD":
                full = git.run("symbolic-ref", "--quiet", "HEAD").output.decode().strip()
            return Target(
                "" if FULL_COMMIT.fullmatch(name) else full, found.output.decode().strip()
            )
    listed = git.run("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    if listed.code != 0:
        raise failure(listed, str(source))
    branches = listed.output.decode("utf-8", "replace").split()
    if not branches:
        raise RepositoryEmpty(f"{source} is an empty repository: it has no commit yet.")
    raise _no_such_ref(source, ref, branches)


def _candidates(ref: str) -> list[str]:
    if not ref:
        return ["HEAD"]
    if ref.startswith("refs/"):
        return [ref]
    return [f"refs/heads/{ref}", f"refs/tags/{ref}"]


def _remote_refs(git: Git, source: Source, *patterns: str) -> tuple[dict[str, str], str]:
    """Ref names with the objects they name, and the branch behind HEAD."""
    listed = git.run("ls-remote", "--quiet", "--symref", "origin", *patterns)
    if listed.code != 0:
        raise failure(listed, str(source))
    refs: dict[str, str] = {}
    head = ""
    for line in listed.output.decode("utf-8", "replace").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            head = value.removeprefix("ref: ")
        elif FULL_COMMIT.fullmatch(value):
            refs[name] = value
        elif not value.startswith("ref: "):
            raise FetchFailed(f"{source} answered with something that is no list of refs.")
    return refs, head


def _no_such_ref(source: Source, ref: str, branches: list[str]) -> RefNotFound:
    some = ", ".join(branch.removeprefix("refs/heads/") for branch in branches[:5]) or "none"
    if not ref:
        return RefNotFound(f"{source} names no default branch; choose one of its branches: {some}.")
    return RefNotFound(
        f"{source} has no branch or tag {shown(ref)} (any more); its branches include: {some}."
    )
