"""Stages that parse foreign text, run in the sandbox: extract, isolate, license."""

from collections.abc import Iterator, Sequence

from curation.identity import content_hash
from curation.tokens import count_tokens
from ingest.candidate import Candidate, Dropped, Progress, TextRead
from ingest.extract import At, Extraction, SourceTree, TookTooLong, extract
from ingest.extract.decoding import decode
from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.licensing import FileLicenses


def read_text(path: str, data: bytes) -> TextRead:
    """Return the text of a file, if it is one: for a notebook, the text of its code cells."""
    text = _text(path, data)
    return TextRead(text, None if text is None else count_tokens(text))


def _text(path: str, data: bytes) -> str | None:
    if b"\0" in data:
        return None
    if not path.endswith(NOTEBOOK):
        return decode(data).text
    try:
        return read_notebook(data).code
    except NotebookError:
        return None


def kernels(
    tree: SourceTree,
    paths: Sequence[str],
    licenses: FileLicenses,
    progress: Progress,
    at: At,
) -> Iterator[Candidate | Dropped]:
    """Yield every kernel in the files `paths`, or the reason of a drop."""
    for item in extract(tree, paths, progress, at=at):
        if isinstance(item, Extraction):
            yield _bounded_candidate(item, licenses, at)
        else:
            yield Dropped("extract", item.path, item.code, item.message, line=item.line)


def _bounded_candidate(
    extraction: Extraction, licenses: FileLicenses, at: At
) -> Candidate | Dropped:
    kernel = extraction.kernel
    try:
        with at(kernel.path):
            return candidate(extraction, licenses)
    except TookTooLong as error:
        return Dropped(
            "license", kernel.path, "too-slow", str(error), kernel.qualname, kernel.start_line
        )


def candidate(extraction: Extraction, licenses: FileLicenses) -> Candidate:
    files = extraction.unit.drawn_from or (extraction.kernel.path,)
    return Candidate(
        kernel=extraction.kernel,
        unit=extraction.unit,
        content_hash=content_hash(extraction.unit.source),
        tokens=count_tokens(extraction.unit.source),
        licenses=tuple(map(licenses.of, files)),
        license_texts=licenses.texts(files),
    )
