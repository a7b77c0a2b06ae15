"""The verdict on each file of a tree that a kernel draws from, found when it is asked for."""

from functools import cached_property

from ingest.git.snapshot import OpenTree
from ingest.licenses import Assessment, LicenceReader, TreeLicences, assess_file, read_tree


class FileLicences:
    """One for a reading: a file from which ten kernels draw is assessed once."""

    def __init__(self, tree: OpenTree, reader: LicenceReader) -> None:
        self._tree = tree
        self._reader = reader
        self._known: dict[str, Assessment] = {}

    def of(self, path: str) -> Assessment:
        if path not in self._known:
            data = self._tree.read(path) or b""
            self._known[path] = assess_file(path, data, self._governing, reader=self._reader)
        return self._known[path]

    @cached_property
    def _governing(self) -> TreeLicences:
        """What the repository says, read only where a kernel was found."""
        return read_tree(self._tree, self._reader)
