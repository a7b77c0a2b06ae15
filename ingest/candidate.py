"""What travels through the pipeline: a kernel on its way, or the reason why it was left out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file as it was read: its name, its bytes' facts, its text."""

    path: str
    blob_hash: str
    sha256: str
    size: int
    lines: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel with the evidence gathered so far."""

    file: SourceText
    name: str
    qualname: str
    kind: str
    language: str
    container: str
    start_line: int
    end_line: int
    sha256: str
    function_source: str
    standalone_source: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something left out, with a short word to count by and a sentence to read."""

    stage: str
    path: str
    reason: str
    message: str
    qualname: str = ""
    line: int | None = None
