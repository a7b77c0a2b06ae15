"""Storage of releases, including all files and the splits of records, and the rebuild of files."""

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from curation import __version__
from curation.errors import CurationError
from curation.export.folder import MANIFEST, encode, new_folder
from curation.export.options import ExportOptions, ProgressCallback, no_progress
from curation.export.splits import FREE, SPLITS
from curation.export.statistics import KINDS, ExportPlan
from curation.models import Release, ReleaseFile, ReleaseMember, SplitAssignment

# Number of bytes of a file in one row of ReleaseFile, before compression.
CHUNK = 1 << 20
BATCH = 1000


def find_release(name: str) -> Release:
    release = Release.objects.filter(name=name).first()
    if release is None:
        named = ", ".join(Release.objects.values_list("name", flat=True)[:20])
        known = f"The newest are: {named}." if named else "No release was made yet."
        raise CurationError(f"There is no release {name!r}. {known}")
    return release


def rebuild(release: Release, out: Path, *, progress: ProgressCallback = no_progress) -> None:
    """Write the files of a release again, byte for byte."""
    with new_folder(out) as folder:
        for number, entry in enumerate([{"path": MANIFEST}, *release.manifest["files"]]):
            progress("files written", number)
            data = b"".join(file_chunks(release, entry["path"]))
            digest = hashlib.sha256(data).hexdigest()
            # The manifest has no hash of itself.
            if digest != entry.get("sha256", digest):
                raise CurationError(
                    f"{release} does not hold {entry['path']}: version {release.code_version} "
                    "stored only a part of the files."
                )
            file = folder / entry["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


def file_chunks(release: Release, path: str) -> Iterator[bytes]:
    rows = release.files.filter(path=path).order_by("number").values_list("data", flat=True)
    for data in rows.iterator(chunk_size=1):
        yield zlib.decompress(bytes(data))


# --- Saving ----------------------------------------------------------------------------------
class OvertakenByAnother(CurationError):
    """An error because a concurrent export took the same name or first assigned the same splits."""

    retry = True


def save_splits(plan: ExportPlan, split_plan: str) -> None:
    """Save the split of every record that had no split."""
    # Several file records may have the key of the same kernel. They have one group, so one split.
    new = {
        (record.kind, record.pk): SPLITS[record.split]
        for kind in KINDS
        for record in plan.records[kind]
        if record.known == FREE
    }
    rows = [
        SplitAssignment(**{f"{kind}_id": pk}, plan=split_plan, split=split)
        for (kind, pk), split in new.items()
    ]
    try:
        with transaction.atomic():
            SplitAssignment.objects.bulk_create(rows, batch_size=BATCH)
    except IntegrityError:
        raise OvertakenByAnother(
            "Another export has assigned splits to some of these records. Run it again."
        ) from None


def save_release(
    name: str,
    options: ExportOptions,
    manifest: dict[str, Any],
    folder: Path,
    plan: ExportPlan,
    user: User | None,
) -> Release:
    """Create the release with all its members and files, in one transaction."""
    # Compress the files before the transaction, which blocks all other writers of SQLite.
    chunks = [
        (path, number, zlib.compress(data[start : start + CHUNK]))
        for path in [MANIFEST, *(file["path"] for file in manifest["files"])]
        for data in [(folder / path).read_bytes()]
        for number, start in enumerate(range(0, len(data) or 1, CHUNK))
    ]
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
            members = [
                ReleaseMember(
                    **{f"{kind}_id": record.pk},
                    release=release,
                    record_id=record.id,
                    content_hash=record.content_hash,
                    split=SPLITS[record.split],
                    weight=record.metadata["weight"],
                    tokens=record.metadata["tokens"],
                    metadata=encode(record.metadata),
                )
                for kind in KINDS
                for record in plan.records[kind]
            ]
            ReleaseMember.objects.bulk_create(members, batch_size=BATCH)
            for path, number, data in chunks:
                ReleaseFile.objects.create(release=release, path=path, number=number, data=data)
    except IntegrityError:
        raise OvertakenByAnother(f"{name} was made by another export meanwhile.") from None
    return release
