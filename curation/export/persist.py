"""Persistence of exports: each record's split, and a release with its members."""

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
from curation.export.folder import MANIFEST
from curation.export.options import ExportOptions
from curation.export.plan import KINDS, ExportPlan
from curation.export.records import Record
from curation.export.snapshot import keep_few_pages
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
    """A concurrent export gave the same records their first split, or took the same name."""

    retry = True


def save_splits(plan: ExportPlan, split_plan: str) -> None:
    """Save the split of every record that had none."""
    keep_few_pages()
    for kind in KINDS:
        selected, known = plan.of(kind), plan.known[kind]
        # A kernel may represent several files, all of one family.
        pks, first = np.unique(np.asarray(selected.pks), return_index=True)
        for number, split in enumerate(SPLITS):
            new = pks[(known[first] == FREE) & (selected.splits[first] == number)]
            for start in range(0, len(new), 10_000):
                _save_split(kind, new[start : start + 10_000].tolist(), split_plan, split)


def _save_split(kind: str, pks: Sequence[int], split_plan: str, split: Split) -> None:
    """Insert rows by SQL: creating a million objects would take longer than all the rest."""
    items = Kernel.objects.all() if kind == "kernel" else Pair.objects.all()
    rows = (
        items.filter(pk__among=pks)
        .order_by("pk")
        .values_list("pk", Value(split_plan), Value(split))
    )
    select, values = rows.query.sql_with_params()
    table = connection.ops.quote_name(SplitAssignment._meta.db_table)
    insert = f"INSERT INTO {table} ({kind}_id, plan, split) {select}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(insert, values)
    except IntegrityError:
        raise OvertakenByAnother(
            "Another export has assigned splits to some of these records. Run it again."
        ) from None


def save_release(
    name: str,
    options: ExportOptions,
    manifest: dict[str, Any],
    folder: Path,
    records: Iterator[Record],
    user: User | None,
) -> Release:
    """Create the release with all its members, or nothing."""
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
        raise OvertakenByAnother(f"{name} was made by another export meanwhile.") from None
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
    """Store the files that can't be rebuilt from the members, because their rows change."""
    for path in [MANIFEST, *(file["path"] for file in manifest["files"] if file["kept"])]:
        with (folder / path).open("rb") as stream:
            data, number = stream.read(STRETCH), 0
            # An empty file has one empty chunk.
            while data or not number:
                ReleaseFile.objects.create(
                    release=release, path=path, number=number, data=zlib.compress(data)
                )
                data, number = stream.read(STRETCH), number + 1
