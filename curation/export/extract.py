"""Plain folders of the kernels' source files, one for each category, with a manifest.

The bytes depend only on database rows. Therefore `created` in the manifest is not the time of the
export, but the time at which the newest file was stored in the database.
"""

import hashlib
import tokenize
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC
from io import BytesIO
from pathlib import Path
from typing import Any

from curation import __version__
from curation.evidence.sources import every_source
from curation.export.facts import db_snapshot
from curation.export.folder import OutputFiles, new_folder, write_manifest
from curation.export.notices import Notices, texts_named
from curation.export.options import ProgressCallback, no_progress
from curation.export.plain_files import PathRequest, PlainFile, placed, plain_files
from curation.models import Category

FOLDER = "triton_kernels_organized"
# Maximum number of texts in memory at the same time.
BATCH = 200

Entry = dict[str, Any]


def extract(out: Path, *, progress: ProgressCallback = no_progress) -> dict[str, Any]:
    """Write the folders below `out`, and return their manifest."""
    with new_folder(out / FOLDER) as folder:
        for category in Category:
            (folder / category).mkdir()
        with db_snapshot():
            manifest = _write(folder, progress)
        write_manifest(folder, manifest)
    return manifest


def _write(folder: Path, progress: ProgressCallback) -> dict[str, Any]:
    sources = every_source()
    left_out: dict[str, Counter[str]] = {category.value: Counter() for category in Category}
    wanted_files: dict[PathRequest, PlainFile] = {}
    for number, file in enumerate(plain_files(sources)):
        if not number % BATCH:
            progress("files weighed", number)
        source = file.source
        if file.why is None:
            # The stored text of a notebook is the Python code of its cells.
            path = f"{file.path}.py" if file.path.endswith(".ipynb") else file.path
            wanted_files[PathRequest(source.category, source.name, source.row.name, path)] = file
        else:
            left_out[source.category][file.why] += 1
    notices = Notices(sources)
    entries: dict[str, list[Entry]] = {category.value: [] for category in Category}
    places = [(place, wanted_files[wanted]) for wanted, place in placed(wanted_files).items()]
    for number, (place, file, text) in enumerate(_with_texts(places)):
        if not number % BATCH:
            progress("files written", number)
        data = _encode(text)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        # Never overwrite a file, even if this file system treats two different names as equal.
        with (folder / place).open("xb") as target:
            target.write(data)
        entries[file.source.category].append(_entry(place, data, file, notices))
    beside = OutputFiles(folder)
    keys = [entry["source"]["notice"] for listed in entries.values() for entry in listed]
    notices.write(beside, keys, "file")
    return _manifest(wanted_files.values(), entries, left_out, beside.entries())


def _with_texts(places: Sequence[tuple[str, PlainFile]]) -> Iterator[tuple[str, PlainFile, str]]:
    for start in range(0, len(places), BATCH):
        batch = places[start : start + BATCH]
        texts = texts_named({file.sha256 for _, file in batch})
        for place, file in batch:
            yield place, file, texts[file.sha256]


def _encode(text: str) -> bytes:
    """Return the bytes of a file in the encoding that its first lines declare, or in UTF-8.

    Python decodes the file by that declaration. Bytes in another encoding would change its strings.
    """
    data = text.encode("utf-8", "surrogatepass")
    if text.isascii():
        return data
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        # Other codecs, such as unicode_escape, would change the declaration of the encoding itself.
        return text.encode(encoding) if "#\n".encode(encoding) == b"#\n" else data
    except (SyntaxError, LookupError, UnicodeError):
        return data


def _entry(place: str, data: bytes, file: PlainFile, notices: Notices) -> Entry:
    """Return a file's entry of the manifest, with its origin under the key `source`."""
    notice = notices.of_work(file.source.name, file.expression, file.terms)
    return {
        "path": place,
        "size_bytes": len(data),
        "lines": data.count(b"\n") + (not data.endswith(b"\n")),
        "has_triton_jit": b"@triton.jit" in data,
        "hash_sha256": hashlib.sha256(data).hexdigest(),
        "source": {
            "repository": file.source.name,
            "commit": file.commit,
            "path": file.path,
            # Hash of the original bytes. The written file may differ: its lines end in a line feed.
            "sha256": file.sha256,
            "url": file.source.row.blob_url(file.commit, file.path, (1, max(file.lines, 1))),
            "license": file.expression,
            "notice": notice.key,
            "kernels": len(file.kernels),
        },
    }


def _manifest(
    written: Collection[PlainFile],
    entries: Mapping[str, Sequence[Entry]],
    left_out: Mapping[str, Counter[str]],
    beside: Sequence[Entry],
) -> dict[str, Any]:
    newest = max((file.stored_at for file in written), default=None)
    every = [entry for category_entries in entries.values() for entry in category_entries]
    return {
        "created": newest and newest.astimezone(UTC).isoformat(timespec="seconds"),
        "extraction_dir": FOLDER,
        "categories": {
            category: {
                "files": category_entries,
                **_totals(category_entries),
                "left_out": dict(sorted(left_out[category].items())),
            }
            for category, category_entries in entries.items()
        },
        **_totals(every),
        "left_out": dict(sorted(sum(left_out.values(), Counter[str]()).items())),
        "files": beside,
        "tools": {"triton-curation": __version__},
    }


def _totals(entries: Sequence[Entry]) -> dict[str, int]:
    return {
        "total_files": len(entries),
        "total_size_bytes": sum(entry["size_bytes"] for entry in entries),
        "total_lines": sum(entry["lines"] for entry in entries),
    }
