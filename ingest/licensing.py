"""License verdict on each file that a kernel draws from, computed on demand."""

from collections.abc import Collection
from functools import cached_property

from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.extract.source_tree import SourceTree
from ingest.licenses import (
    Assessment,
    LicenseReader,
    LicenseText,
    TreeLicenses,
    assess,
    read_tree,
    texts_for,
)


class FileLicenses:
    """Cache for one reading: a file that ten kernels draw from is assessed once."""

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
        """Return texts that must be exported with a unit that draws from these files, each once."""
        for path in paths:
            if path not in self._texts:
                self._texts[path] = texts_for(path, self._governing)
        return tuple(dict.fromkeys(text for path in paths for text in self._texts[path]))

    @cached_property
    def _governing(self) -> TreeLicenses:
        """License files of the repository, read when the first kernel is found."""
        return read_tree(self._tree, self._reader)


def _stated_text(path: str, data: bytes) -> bytes:
    """Return the text in which a file may state its license: for a notebook, all its cells."""
    if not path.endswith(NOTEBOOK):
        return data
    try:
        return read_notebook(data).words.encode()
    except NotebookError:
        return data
