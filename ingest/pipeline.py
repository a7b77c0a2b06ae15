"""The stages in their order: read, extract, isolate. Pure: rows are `persist`'s matter."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from curation.identity import content_hash
from ingest.candidate import Candidate, Dropped, SourceText
from ingest.extract.plain import plain_kernels
from ingest.local import read_python_files


def candidates(folder: Path) -> Iterator[Candidate | Dropped]:
    """Every kernel of `folder`, or why it was left out."""
    return extracted(read_python_files(folder))


def extracted(files: Iterable[SourceText | Dropped]) -> Iterator[Candidate | Dropped]:
    for file in files:
        if isinstance(file, Dropped):
            yield file
            continue
        try:
            found = list(plain_kernels(file.text))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield Dropped("extract", file.path, "syntax", f"Python can't parse the file: {error}.")
            continue
        for kernel in found:
            yield Candidate(
                file=file,
                name=kernel.name,
                qualname=kernel.name,
                kind="entry",
                language="triton",
                container="module",
                start_line=kernel.start_line,
                end_line=kernel.end_line,
                sha256=hashlib.sha256(kernel.source.encode()).hexdigest(),
                function_source=kernel.source,
                standalone_source=kernel.standalone_source,
                content_hash=content_hash(kernel.standalone_source),
            )
