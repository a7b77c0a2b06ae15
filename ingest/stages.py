"""Stages of the ingest that parse foreign text in the sandbox: extract, isolate, license."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from curation.identity import content_hash
from curation.tokens import count_tokens
from ingest.candidate import Candidate, Dropped, Progress, TextRead
from ingest.extract import At, Extraction, SourceTree, TookTooLong, extract
from ingest.extract.decoding import decode
from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.licenses import (
    Assessment,
    LicenseReader,
    LicenseText,
    TreeLicenses,
    assess,
    read_tree,
    texts_for,
)


def read_text(path: str, data: bytes) -> TextRead:
    """Return the text of a file, or None if it is no text. A notebook's text is its code cells."""
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
    """Yield every kernel in the files `paths`, or the reason why it was dropped."""
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


class FileLicenses:
    """License verdict on each file that a kernel takes code from, computed once on first use."""

    def __init__(self, tree: SourceTree, reader: LicenseReader) -> None:
        self._tree = tree
        self._reader = reader
        self._known: dict[str, Assessment] = {}
        self._texts: dict[str, tuple[LicenseText, ...]] = {}

    def of(self, path: str) -> Assessment:
        if path not in self._known:
            data = _stated_text(path, self._tree.read(path) or b"")
            self._known[path] = assess(path, data, self._governing, self._reader)
        return self._known[path]

    def texts(self, paths: Collection[str]) -> tuple[LicenseText, ...]:
        """Return the license texts to export with a unit that takes code from these files."""
        for path in paths:
            if path not in self._texts:
                self._texts[path] = texts_for(path, self._governing)
        return tuple(dict.fromkeys(text for path in paths for text in self._texts[path]))

    @cached_property
    def _governing(self) -> TreeLicenses:
        """License files of the repository, read when the first kernel is found."""
        return read_tree(self._tree, self._reader)


def _stated_text(path: str, data: bytes) -> bytes:
    """Return the text that may state a file's license. For a notebook, it is that of all cells."""
    if not path.endswith(NOTEBOOK):
        return data
    try:
        return read_notebook(data).words.encode()
    except NotebookError:
        return data
