"""Releases: saved with their records' splits, and rebuilt byte for byte."""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import Value

from curation import __version__
from curation.errors import CurationError
from curation.evidence.notices import texts_named
from curation.export.facts import PAIR_TEXTS, joined, text_columns
from curation.export.folder import MANIFEST, encode, new_folder
from curation.export.held_out import HeldOut
from curation.export.options import ExportOptions, ProgressCallback, no_progress
from curation.export.schema import KERNEL, Columns, columns_as_in, pair_columns
from curation.export.splits import FREE, SPLITS
from curation.export.statistics import KINDS, ExportPlan
from curation.export.training.formats import FormatTarget, Record, write_formats
from curation.models import (
    Kernel,
    Pair,
    Release,
    ReleaseFile,
    ReleaseMember,
    Split,
    SplitAssignment,
)

BATCH = 1000
STRETCH = 1 << 20


class NotTheSame(CurationError):
    """A release can't be rebuilt byte for byte, because a version has changed."""


def find_release(name: str) -> Release:
    release = Release.objects.filter(name=name).first()
    if release is None:
        named = ", ".join(Release.objects.values_list("name", flat=True)[:20])
        known = f"The newest are: {named}." if named else "No release was made yet."
        raise CurationError(f"There is no release {name!r}. {known}")
    return release


def rebuild(release: Release, out: Path, *, progress: ProgressCallback = no_progress) -> None:
    """Write the files of a release, and keep them only if each is unchanged."""
    options = ExportOptions.from_json(release.options)
    with new_folder(out) as folder:
        for path in release.files.order_by().values_list("path", flat=True).distinct():
            _write_kept(release, path, folder / path)
        manifest = release.manifest
        held_out = None
        if options.held_out_recipes:
            held_out = HeldOut.from_release(manifest, folder)
        pairs = _columns_of(release, pair_columns(manifest["checks"]), kernel=None)
        kernels = _columns_of(release, KERNEL, pair=None)
        target = FormatTarget(
            folder, options, pairs, kernels, lambda texts: [0] * len(texts), held_out
        )
        write_formats(target, _records(release, options, progress))
        for file in release.manifest["files"]:
            with (folder / file["path"]).open("rb") as written:
                digest = hashlib.file_digest(written, "sha256").hexdigest()
            if digest != file["sha256"]:
                raise NotTheSame(
                    f"{file['path']} of {release} would not be what it was: it was written by "
                    f"version {release.code_version} with {json.dumps(release.manifest['tools'])}."
                )


def _columns_of(release: Release, columns: Columns, **kind: None) -> Columns:
    """Return the columns of the release's records of a kind."""
    members = ReleaseMember.objects.filter(release=release, **kind).order_by("pk")
    metadata = members.values_list("metadata", flat=True).first()
    if metadata is None:
        return columns
    known = cast(Columns, columns["metadata"])
    return {**columns, "metadata": columns_as_in(known, json.loads(metadata))}


def _write_kept(release: Release, path: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("wb") as file:
        stretches = release.files.filter(path=path).order_by("number")
        for data in stretches.values_list("data", flat=True).iterator(chunk_size=1):
            file.write(zlib.decompress(bytes(data)))


def _records(
    release: Release, options: ExportOptions, progress: ProgressCallback
) -> Iterator[Record]:
    """Yield the records in their original order."""
    last = 0
    rows = ReleaseMember.objects.filter(release=release).order_by("pk")
    columns = (
        "pk", "kernel_id", "pair_id", "record_id", "content_hash", "split", "weight", "tokens",
        "metadata",
    )  # fmt: skip
    done = 0
    while batch := list(rows.filter(pk__gt=last).values_list(*columns)[:BATCH]):
        progress("records written", done)
        done += len(batch)
        texts = _texts(batch, options)
        for member, kernel, pair, identity, hashed, split, _, tokens, metadata in batch:
            document = json.loads(metadata)
            record: dict[str, Any] = {"input": texts[member][0], "metadata": document}
            if pair:
                record = {
                    "id": identity,
                    **dict(zip(PAIR_TEXTS, texts[member], strict=True)),
                    "metadata": document,
                }
            yield Record(
                "pair" if pair else "kernel", pair or kernel, hashed, SPLITS.index(split),
                document["weight"], tokens, document.get("language", ""), encode(record),
            )  # fmt: skip
        last = batch[-1][0]


def _texts(batch: Sequence[Any], options: ExportOptions) -> dict[int, tuple[str, ...]]:
    """Return the texts by member."""
    kernels = {member: (kernel, hashed) for member, kernel, _, _, hashed, *_ in batch if kernel}
    pairs = {member: pair for member, _, pair, *_ in batch if pair}
    of_pairs = _read_texts(Pair, pairs.values(), PAIR_TEXTS)
    texts = {member: of_pairs[pair] for member, pair in pairs.items()}
    if options.unit == "file":
        of_files = texts_named({hashed for _, hashed in kernels.values()})
        return texts | {member: (of_files[hashed],) for member, (_, hashed) in kernels.items()}
    keys = {kernel for kernel, _ in kernels.values()}
    of_kernels = _read_texts(Kernel, keys, text_columns(options))
    return texts | {member: (joined(of_kernels[key]),) for member, (key, _) in kernels.items()}


def _read_texts(
    model: type[Kernel] | type[Pair], pks: Collection[int], columns: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    rows = model._default_manager.filter(pk__among=frozenset(pks)).order_by()
    return {pk: tuple(texts) for pk, *texts in rows.values_list("pk", *columns)}


# --- Saving ----------------------------------------------------------------------------------
class OvertakenByAnother(CurationError):
    """A concurrent export gave the same records their first split, or took the same name."""

    retry = True


def save_splits(plan: ExportPlan, split_plan: str) -> None:
    """Save the split of every record that had none."""
    for kind in KINDS:
        rows = plan.rows[kind]
        # A kernel may represent several files, all of one family.
        pks, first = np.unique(rows["pk"], return_index=True)
        for number, split in enumerate(SPLITS):
            new = pks[(rows["known"][first] == FREE) & (rows["split"][first] == number)]
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
        metadata=encode(record.metadata),
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
