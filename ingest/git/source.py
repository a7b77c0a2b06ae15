"""Conversion of a repository name that a person typed into one canonical source, or a refusal.

Only https URLs (and `owner/name` on GitHub) are remote; paths need `allow_local`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from ingest.git.errors import SourceError, SourceRefused

GITHUB = "github.com"
LONGEST = 500

_SEGMENT = re.compile(r"[A-Za-z0-9_.~+-]+")
_TOKEN = re.compile(r"(?:gh[a-z]_|github_pat_|glpat-|hf_)[\w-]{8,}")
_HOST_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_LOCAL_STARTS = ("/", "./", "../", "~/")
_REWRITTEN_HOSTS = {"www.github.com": GITHUB}


class SourceKind(StrEnum):
    REMOTE = "remote"
    REPOSITORY = "repository"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Source:
    """A repository or folder. `location` is a canonical URL or an absolute path."""

    kind: SourceKind
    location: str

    @property
    def name(self) -> str:
        """`owner/name` on GitHub, `host/owner/name` on other hosts, or the name of a folder."""
        if self.kind is not SourceKind.REMOTE:
            return Path(self.location).name
        url = urlsplit(self.location)
        path = url.path.strip("/")
        return path if url.netloc == GITHUB else f"{url.netloc}/{path}"

    def __str__(self) -> str:
        return self.location


def parse_source(text: str, *, allow_local: bool = False) -> Source:
    """Return the source that `text` names. Raises SourceRefused.

    Parsing the source's location gives the same source again. `owner/name` always means GitHub, so
    its meaning never depends on the current folder.
    """
    text = text.strip()
    if not text:
        raise SourceRefused("No repository was given: write owner/name or an https URL.")
    if len(text) > LONGEST:
        raise SourceRefused(f"The source is longer than {LONGEST} characters: {shown(text)}.")
    if not text.isprintable():
        raise SourceRefused(f"The source contains control characters: {shown(text)}.")
    if text.startswith("-"):
        raise SourceRefused(f"{shown(text)} is an option of git, not a repository.")
    if text.startswith(_LOCAL_STARTS) or text in {".", ".."} or text.startswith("file://"):
        return _local(text, allow_local)
    if "::" in text:
        raise SourceRefused(f"{shown(text)} asks for a git helper program; give an https URL.")
    if "://" in text:
        return _remote(text)
    if re.match(r"[^/]*@|[^/]+:", text):
        raise SourceRefused(f"{shown(text)} is an ssh address; give the repository's https URL.")
    return _github_name(text.removeprefix(f"{GITHUB}/"))


def shown(text: str) -> str:
    """Return `text` for a message: shortened, without credentials and control characters."""
    text = "".join(c if c.isprintable() else "�" for c in text)
    text = re.sub(r"^.*@", "…@", text)
    text = re.sub(r"[?#].*", "?…", text)
    text = _TOKEN.sub("…", text)
    return repr(text if len(text) <= 120 else text[:119] + "…")


def _github_name(text: str) -> Source:
    segments = text.rstrip("/").split("/")
    if len(segments) != 2:
        raise SourceRefused(
            f"{shown(text)} is neither owner/name nor an https URL (a local path starts with ./)."
        )
    return _remote(f"https://{GITHUB}/{text}")


def _remote(text: str) -> Source:
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise SourceRefused(f"{shown(text)} is no valid URL.") from None
    if "@" in url.netloc:
        raise SourceRefused(
            f"{shown(text)} carries credentials: only public repositories, without them."
        )
    if url.scheme.lower() != "https":
        raise SourceRefused(f"{shown(text)} does not start with https://, which is required.")
    if url.query or url.fragment or text.endswith(("?", "#")):
        raise SourceRefused(f"{shown(text)} has a query or a fragment; give the repository's URL.")
    host = _host(url, text)
    path = _path(url, host, text)
    authority = host if port in (None, 443) else f"{host}:{port}"
    return Source(SourceKind.REMOTE, f"https://{authority}/{path}")


def _host(url: SplitResult, text: str) -> str:
    host = (url.hostname or "").lower().rstrip(".")
    host = _REWRITTEN_HOSTS.get(host, host)
    labels = host.split(".")
    # If the last label starts with a digit, the host is an IP address, perhaps in hexadecimal. It
    # could name a machine of the private network.
    well_formed = all(_HOST_LABEL.fullmatch(label) for label in labels)
    if not well_formed or len(labels) < 2 or not labels[-1][0].isalpha():
        raise SourceRefused(f"{shown(text)} does not name a public host.")
    if labels[-1] in {"local", "localhost", "internal", "localdomain"}:
        raise SourceRefused(f"{shown(text)} names a host of a private network.")
    return host


def _path(url: SplitResult, host: str, text: str) -> str:
    path = url.path.strip("/")
    while path.endswith(".git") and not path.endswith("/.git"):
        path = path[: -len(".git")].rstrip("/")
    segments = path.split("/")
    for segment in segments:
        unsafe = segment in {".", "..", ".git"} or segment.startswith("-")
        if unsafe or not _SEGMENT.fullmatch(segment):
            raise SourceRefused(f"{shown(text)} is not the address of a repository.")
    if host == GITHUB and len(segments) != 2:
        raise SourceRefused(
            f"{shown(text)} is not a repository's own page; give https://{GITHUB}/owner/name."
        )
    return path


def _local(text: str, allow_local: bool) -> Source:
    if not allow_local:
        raise SourceRefused(
            f"{shown(text)} is a path on this machine, which only the command line may name."
        )
    path = Path(text.removeprefix("file://"))
    try:
        path = path.expanduser().resolve(strict=True)
        is_folder = path.is_dir()
        is_repository = is_folder and _looks_like_git(path)
    except (OSError, RuntimeError):
        raise SourceError(f"There is no readable folder at {shown(text)}.") from None
    if not is_folder:
        raise SourceError(f"{shown(text)} is a file; give the folder that holds it.")
    kind = SourceKind.REPOSITORY if is_repository else SourceKind.FOLDER
    return Source(kind, str(path))


def _looks_like_git(path: Path) -> bool:
    if (path / ".git").exists():
        return True
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
