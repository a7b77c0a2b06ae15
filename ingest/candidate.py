"""What travels through the pipeline: files, kernels on their way, and what was left out."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ingest.extract import ExtractedKernel, StandaloneUnit
from ingest.git import Blob
from ingest.licenses import Assessment, LicenceText

# Called with the stage, how many files are done and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TextRead:
    """The text of a file, None where its bytes are no text that a database can hold."""

    text: str | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file's facts."""

    path: str
    blob: str
    sha256: str
    size: int
    lines: int
    tokens: int | None
    text: str | None


def file_read(blob: Blob, read: TextRead) -> FileRead:
    text = read.text
    return FileRead(
        path=blob.path,
        blob=blob.blob,
        sha256=hashlib.sha256(blob.data).hexdigest(),
        size=len(blob.data),
        lines=0 if not text else text.count("\n") + (not text.endswith("\n")),
        tokens=read.tokens,
        text=text,
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel with the evidence gathered so far."""

    kernel: ExtractedKernel
    unit: StandaloneUnit
    content_hash: str
    tokens: int
    # The verdict on each file that the unit draws from; the strictest counts.
    licences: tuple[Assessment, ...] = ()
    licence_texts: tuple[LicenceText, ...] = ()
    # For what torch.compile emitted: (model, trace) of its graph, and what it came from.
    graph: tuple[str, str] | None = None
    origins: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphRead:
    """A graph that torch.compile took apart."""

    model: str
    trace: str
    path: str
    text: str
    module: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something left out, with a short word to count by and a sentence to read."""

    stage: str
    path: str
    reason: str
    message: str
    qualname: str = ""
    line: int | None = None


Item = FileRead | GraphRead | Candidate | Dropped
