"""Rows of files. There is one row for each content of each path."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

from django.utils import timezone

from curation.models import Repository, SourceFile, SourceText
from ingest.candidate import FileRead


class Files:
    """Writer of a repository's files. `seen`: primary keys of the rows that this run has found."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self._repository = repository
        self._commit = commit
        rows = SourceFile.objects.filter(repository=repository, retired_at=None)
        self._current = {
            path: (pk, blob) for path, pk, blob in rows.values_list("path", "pk", "blob_hash")
        }
        self.seen: set[int] = set()

    def knows(self, path: str) -> bool:
        return path in self._current

    def pk_of(self, path: str) -> int:
        return self._current[path][0]

    def gone(self) -> list[int]:
        """Return the primary keys of the file rows that this run did not find."""
        return [pk for pk, _ in self._current.values() if pk not in self.seen]

    def store(self, files: Sequence[FileRead]) -> None:
        changed = {
            file.path: file
            for file in files
            if self._current.get(file.path, (0, ""))[1] != file.blob
        }
        if changed:
            self._replace(changed)
        self.seen.update(self._current[file.path][0] for file in files)

    def _replace(self, changed: dict[str, FileRead]) -> None:
        old = [self._current[path][0] for path in changed if path in self._current]
        SourceFile.objects.filter(pk__among=old).update(retired_at=timezone.now())
        # A file may return to an earlier content, whose row is retired.
        rows = self._rows(changed)
        SourceFile.objects.filter(pk__among=[pk for pk, _ in rows.values()]).update(retired_at=None)
        SourceFile.objects.bulk_create(
            SourceFile(
                repository=self._repository,
                path=file.path,
                commit=self._commit,
                blob_hash=file.blob,
                sha256=file.sha256,
                size=file.size,
                lines=file.lines,
                tokens=file.tokens,
            )
            for path, file in changed.items()
            if path not in rows
        )
        self._current |= self._rows(changed)
        _store_texts(changed.values())

    def _rows(self, changed: dict[str, FileRead]) -> dict[str, tuple[int, str]]:
        rows = SourceFile.objects.filter(repository=self._repository, path__among=changed)
        return {
            path: (pk, blob)
            for path, pk, blob in rows.values_list("path", "pk", "blob_hash")
            if changed[path].blob == blob
        }


def _store_texts(files: Iterable[FileRead]) -> None:
    texts = {file.sha256: file for file in files if file.text is not None}
    stored = SourceText.objects.filter(sha256__among=texts).values_list("sha256", flat=True)
    for sha256 in stored:
        del texts[sha256]
    # Another worker may insert the same texts. All workers insert in the order of the hashes, so
    # that they can't deadlock.
    SourceText.objects.bulk_create(
        [
            SourceText(sha256=sha256, text=file.text or "")
            for sha256, file in sorted(texts.items(), key=itemgetter(0))
        ],
        ignore_conflicts=True,
    )
