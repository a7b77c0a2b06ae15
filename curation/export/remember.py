"""What an export leaves in the database: each record's split, and a release with its members."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import Value

from curation import __version__
from curation.errors import CurationError
from curation.export.draw import KINDS, Draw
from curation.export.folder import MANIFEST
from curation.export.moment import keep_few_pages
from curation.export.options import Options
from curation.export.records import Record
from curation.export.splits import FREE, SPLITS
from curation.models import (
    Kernel,
    Pair,
    Release,
    ReleaseFile,
    ReleaseMember,
    Split,
    SplitAssignment,
)

BATCH = 2000
STRETCH = 1 << 20


class OvertakenByAnother(CurationError):
    """Two exports at once gave the same records their first split, or took the same name."""

    retry = True


def remember_splits(drawn: Draw, plan: str) -> None:
    """Write down the split of every record that had none."""
    keep_few_pages()
    for kind in KINDS:
        picks, known = drawn.of(kind), drawn.known[kind]
        # A kernel may stand for several files, which are of one family.
        pks, first = np.unique(np.asarray(picks.pks), return_index=True)
        for number, split in enumerate(SPLITS):
            new = pks[(known[first] == FREE) & (picks.splits[first] == number)]
            for start in range(0, len(new), 10_000):
                _remember_split(kind, new[start : start + 10_000].tolist(), plan, split)


def _remember_split(kind: str, pks: Sequence[int], plan: str, split: Split) -> None:
    """By the database itself: a million rows made here would take longer than all the rest."""
    items = Kernel.objects.all() if kind == "kernel" else Pair.objects.all()
    named = items.filter(pk__among=pks).order_by("pk").values_list("pk", Value(plan), Value(split))
    select, values = named.query.sql_with_params()
    table = connection.ops.quote_name(SplitAssignment._meta.db_table)
    insert = f"INSERT INTO {table} ({kind}_id, plan, split) {select}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(insert, values)
    except IntegrityError:
        raise OvertakenByAnother(
            "Another export gave some of these records their split meanwhile. Run it again."
        ) from None


def remember_release(
    name: str,
    options: Options,
    manifest: dict[str, Any],
    folder: Path,
    records: Iterator[Record],
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
            while batch := list(islice(records, BATCH)):
                ReleaseMember.objects.bulk_create([_member(release, record) for record in batch])
            _keep_files(release, manifest, folder)
    except IntegrityError:
        raise OvertakenByAnother(f"{name} was made by somebody else meanwhile.") from None
    return release


def _member(release: Release, record: Record) -> ReleaseMember:
    return ReleaseMember(
        **{f"{record.kind}_id": record.pk},
        release=release,
        record_id=record.id,
        content_hash=record.content_hash,
        split=SPLITS[record.split],
        weight=record.weight,
        tokens=record.tokens,
        metadata=record.metadata,
    )


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
