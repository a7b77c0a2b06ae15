"""What an export leaves in the database: each record's split, and a release with its members."""

import json
import tempfile
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from curation import __version__
from curation.errors import CurationError
from curation.export.draw import KINDS, Draw
from curation.export.folder import MANIFEST
from curation.export.lines import encode
from curation.export.options import Options
from curation.export.records import Record
from curation.export.splits import FREE, SPLITS
from curation.models import Release, ReleaseFile, ReleaseMember, SplitAssignment

BATCH = 2000
STRETCH = 1 << 20


class OvertakenByAnother(CurationError):
    """Two exports at once gave the same records their first split, or took the same name."""

    retry = True


class Members:
    """Keeps what a release must remember of each record in a file until all are written: they
    may be a million, and the rows are written only once the folder is complete."""

    def __init__(self, keep: bool) -> None:
        self._file: IO[str] | None = (
            tempfile.TemporaryFile("w+", encoding="utf-8") if keep else None  # noqa: SIM115
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def kept(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            if self._file is not None:
                self._file.write(encode(_row(record)) + "\n")
            yield record

    def rows(self, release: Release) -> Iterator[ReleaseMember]:
        assert self._file is not None, "asked only for a release"  # noqa: S101
        self._file.seek(0)
        for line in self._file:
            kind, pk, identity, hashed, split, weight, tokens, metadata = json.loads(line)
            yield ReleaseMember(
                **{f"{kind}_id": pk},
                release=release,
                record_id=identity,
                content_hash=hashed,
                split=SPLITS[split],
                weight=weight,
                tokens=tokens,
                metadata=metadata,
            )


def _row(record: Record) -> list[Any]:
    return [
        record.kind, record.pk, record.id, record.content_hash, record.split, record.weight,
        record.tokens, record.metadata,
    ]  # fmt: skip


def remember_splits(drawn: Draw, plan: str) -> None:
    """Write down the split of every record that had none."""
    table = connection.ops.quote_name(SplitAssignment._meta.db_table)
    for kind in KINDS:
        picks, known = drawn.of(kind), drawn.known[kind]
        # A kernel may stand for several files, which are of one family.
        _, first = np.unique(np.asarray(picks.pks), return_index=True)
        new = first[known[first] == FREE]
        pks, splits = np.asarray(picks.pks), picks.splits
        # A million model instances would take longer than all the rest of an export.
        statement = f"INSERT INTO {table} ({kind}_id, plan, split) VALUES (%s, %s, %s)"  # noqa: S608
        for start in range(0, len(new), 10_000):
            batch = new[start : start + 10_000]
            rows = [
                (pk, plan, SPLITS[split].value)
                for pk, split in zip(pks[batch].tolist(), splits[batch].tolist(), strict=True)
            ]
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.executemany(statement, rows)
            except IntegrityError:
                raise OvertakenByAnother(
                    "Another export gave some of these records their split meanwhile. Run it again."
                ) from None


def remember_release(
    name: str,
    options: Options,
    manifest: dict[str, Any],
    folder: Path,
    members: Members,
    user: User | None,
) -> Release:
    """The release, all of it or nothing."""
    try:
        with transaction.atomic():
            release = Release.objects.create(
                name=name,
                options=options.as_json(),
                seed=options.seed,
                code_version=__version__,
                manifest=manifest,
                created_by=user,
            )
            rows = members.rows(release)
            while batch := list(islice(rows, BATCH)):
                ReleaseMember.objects.bulk_create(batch)
            _keep_files(release, manifest, folder)
    except IntegrityError:
        raise OvertakenByAnother(f"{name} was made by somebody else meanwhile.") from None
    return release


def _keep_files(release: Release, manifest: dict[str, Any], folder: Path) -> None:
    """What can't be made again from the members, because the rows behind it change."""
    for path in [MANIFEST, *(file["path"] for file in manifest["files"] if file["kept"])]:
        with (folder / path).open("rb") as stream:
            data, number = stream.read(STRETCH), 0
            # An empty file has one empty stretch.
            while data or not number:
                ReleaseFile.objects.create(
                    release=release, path=path, number=number, data=zlib.compress(data)
                )
                data, number = stream.read(STRETCH), number + 1
