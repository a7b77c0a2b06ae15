"""Rebuild of a release, byte for byte."""

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from curation.errors import CurationError
from curation.evidence.notices import texts_named
from curation.export.columns import KERNEL, Columns, columns_as_in, pair_columns
from curation.export.folder import MANIFEST, new_folder
from curation.export.held_out import HeldOut
from curation.export.lines import encode_text
from curation.export.options import ExportOptions
from curation.export.progress import ProgressCallback, no_progress
from curation.export.records import Record, kernel_texts, pair_texts
from curation.export.splits import SPLITS
from curation.export.writers import Writing
from curation.models import Release, ReleaseMember

BATCH = 1000


class NotTheSame(CurationError):
    """A release can't be rebuilt byte for byte, because a version has changed."""


def find_release(name: str) -> Release:
    release = Release.objects.filter(name=name).first()
    if release is None:
        named = ", ".join(Release.objects.values_list("name", flat=True)[:20])
        raise CurationError(f"There is no release {name!r}. There are: {named or 'none yet'}.")
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
        writing = Writing(options, folder, pairs, kernels, held_out)
        writing.write(lambda: _records(release, options, progress))
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
            kind, pk = ("kernel", kernel) if kernel else ("pair", pair)
            document = json.loads(metadata)
            yield Record(
                kind, identity, pk, hashed, SPLITS.index(split), document["weight"], tokens,
                metadata, tuple(map(encode_text, texts[member])), document.get("language", ""),
            )  # fmt: skip
        last = batch[-1][0]


def _texts(batch: Sequence[Any], options: ExportOptions) -> dict[int, tuple[str, ...]]:
    """Return the texts by member."""
    kernels = {member: (kernel, hashed) for member, kernel, _, _, hashed, *_ in batch if kernel}
    pairs = {member: pair for member, _, pair, *_ in batch if pair}
    of_pairs = pair_texts(pairs.values())
    texts = {member: of_pairs[pair] for member, pair in pairs.items()}
    if options.unit == "file":
        of_files = texts_named({hashed for _, hashed in kernels.values()})
        return texts | {member: (of_files[hashed],) for member, (_, hashed) in kernels.items()}
    of_kernels = kernel_texts({kernel for kernel, _ in kernels.values()}, options)
    return texts | {member: (of_kernels[kernel],) for member, (kernel, _) in kernels.items()}


__all__ = ["MANIFEST", "find_release", "rebuild"]
