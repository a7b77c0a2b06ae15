"""License findings of a text, from the detector or from a cache by blob hash."""

from collections.abc import Callable
from typing import Protocol

from ingest.confined.values import from_json, read_json, to_json
from ingest.git.folder import blob_id
from ingest.licenses.detector import LicenseDetector
from ingest.licenses.license_files import Role, read_license_file
from ingest.licenses.reading import read_file
from ingest.licenses.records import Findings

# Part of every cache key. Raise it when the reading rules change, to invalidate the cache.
RULES_VERSION = "2"
LARGEST_FILE = 4_000_000


class Kept(Protocol):
    """Cache of findings as JSON by key. It may be a dict, or rows of a database."""

    def get(self, key: str, /) -> str | None: ...

    def __setitem__(self, key: str, value: str, /) -> None: ...


class LicenseReader:
    """A license detector with a cache."""

    def __init__(self, detector: LicenseDetector, kept: Kept | None = None) -> None:
        self.detector = detector
        self.kept: Kept = {} if kept is None else kept

    def read(self, path: str, data: bytes | str) -> Findings:
        """Return the findings of a source file."""
        kind = "python" if path.lower().endswith((".py", ".pyi", ".pyx", ".pxd")) else "text"
        return self._once(kind, data, lambda text: read_file(path, text, self.detector))

    def read_license(self, path: str, role: Role, data: bytes | str) -> Findings:
        """Return the findings of a license file."""
        return self._once(
            role, data, lambda text: read_license_file(path, role, text, self.detector)
        )

    def _once(self, kind: str, data: bytes | str, reading: Callable[[str], Findings]) -> Findings:
        key = f"{git_blob_hash(data)}:{kind}:{RULES_VERSION}:{self.detector.name}"
        if (cached := self.kept.get(key)) is not None:
            return from_json(Findings, read_json(cached.encode()))
        findings = reading(decoded(data[:LARGEST_FILE]))
        self.kept[key] = to_json(findings).decode()
        return findings


def git_blob_hash(data: bytes | str) -> str:
    """Return git's blob id of a file's content."""
    return blob_id(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


def decoded(data: bytes | str) -> str:
    """Decode bytes as UTF-8, UTF-16 with a byte order mark, or Latin-1 (accepts all bytes)."""
    if isinstance(data, str):
        return data
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
