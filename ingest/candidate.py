"""Values of the pipeline: files, kernels with evidence, and dropped items."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from ingest.extract import ExtractedKernel, StandaloneUnit
from ingest.git import Blob
from ingest.licenses import Assessment, LicenseText

# Callback with the stage, the number of finished files and the total number of files.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TextRead:
    """Text of a file, or None if a database can't hold it."""

    text: str | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class FileRead:
    """Path, hashes, sizes and text of a file."""

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
    # Verdicts on each file that the unit takes code from. The strictest verdict applies.
    licenses: tuple[Assessment, ...] = ()
    license_texts: tuple[LicenseText, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped item. It has a short reason code for statistics and a sentence for a person."""

    stage: str
    path: str
    reason: str
    message: str
    qualname: str = ""
    line: int | None = None


Item = FileRead | Candidate | Dropped
