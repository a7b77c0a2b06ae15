"""Lookup of the commit that a branch, a tag, a commit id or the default branch names."""

import re
from dataclasses import dataclass

from ingest.git.command import Git
from ingest.git.errors import FetchFailed, SourceError, SourceRefused
from ingest.git.failure import failure
from ingest.git.source import Source, shown

FULL_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(
    r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\s\x00-\x20\x7f~^:?*\[\\/.-][^\s\x00-\x20\x7f~^:?*\[\\]*"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A full ref name (empty for a bare commit id), and the commit that it names now."""

    ref: str
    commit: str

    @property
    def wanted(self) -> str:
        return self.ref or self.commit


def check_ref(ref: str) -> str:
    """Return the ref without surrounding blanks. Raises SourceRefused if it can't be a ref."""
    ref = ref.strip()
    if ref and (not _REF.fullmatch(ref) or ref.endswith(("/", "."))):
        raise SourceRefused(f"{shown(ref)} can't be the name of a branch, a tag or a commit.")
    return ref


def remote_target(git: Git, source: Source, ref: str) -> Target:
    """Return the target of a ref at the remote, by one request (up to three if it is missing)."""
    if FULL_COMMIT.fullmatch(ref):
        return Target("", ref)
    candidates = _candidates(ref)
    peeled = [f"{name}^{{}}" for name in candidates]
    refs, head = _remote_refs(git, source, *candidates, *peeled)
    if not ref and head:
        candidates = [head, "HEAD"]
    for name in candidates:
        if name in refs or (name == head and "HEAD" in refs):
            commit = refs.get(f"{name}^{{}}") or refs.get(name) or refs["HEAD"]
            return Target(name, commit)
    branches, _ = _remote_refs(git, source, "refs/heads/*")
    if not branches and not _remote_refs(git, source)[0]:
        raise SourceError(f"{source} is an empty repository: it has no commit yet.")
    raise _no_such_ref(source, ref, sorted(branches))


def local_target(git: Git, source: Source, ref: str) -> Target:
    """Return the target of a ref in a repository on this disk."""
    names = ["HEAD"] if not ref else [ref] if FULL_COMMIT.fullmatch(ref) else _candidates(ref)
    for name in names:
        result = git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if result.code == 0:
            full = name
            if name == "HEAD":
                full = git.run("symbolic-ref", "--quiet", "HEAD").output.decode().strip()
            return Target(
                "" if FULL_COMMIT.fullmatch(name) else full, result.output.decode().strip()
            )
    branch_list = git.run("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    if branch_list.code != 0:
        raise failure(branch_list, str(source))
    branches = branch_list.output.decode("utf-8", "replace").split()
    if not branches:
        raise SourceError(f"{source} is an empty repository: it has no commit yet.")
    raise _no_such_ref(source, ref, branches)


def _candidates(ref: str) -> list[str]:
    if not ref:
        return ["HEAD"]
    if ref.startswith("refs/"):
        return [ref]
    return [f"refs/heads/{ref}", f"refs/tags/{ref}"]


def _remote_refs(git: Git, source: Source, *patterns: str) -> tuple[dict[str, str], str]:
    """Return ref names with their object ids, and the branch to which HEAD points."""
    listing = git.run("ls-remote", "--quiet", "--symref", "origin", *patterns)
    if listing.code != 0:
        raise failure(listing, str(source))
    refs: dict[str, str] = {}
    head = ""
    for line in listing.output.decode("utf-8", "replace").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            head = value.removeprefix("ref: ")
        elif FULL_COMMIT.fullmatch(value):
            refs[name] = value
        elif not value.startswith("ref: "):
            raise FetchFailed(f"{source} answered with something that is no list of refs.")
    return refs, head


def _no_such_ref(source: Source, ref: str, branches: list[str]) -> SourceError:
    names = ", ".join(branch.removeprefix("refs/heads/") for branch in branches[:5]) or "none"
    if not ref:
        message = f"{source} names no default branch; choose one of its branches: {names}."
        return SourceError(message)
    return SourceError(
        f"{source} has no branch or tag {shown(ref)} (any more); its branches include: {names}."
    )
