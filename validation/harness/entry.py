"""Entries: records of the dataset, reduced to what the harness needs, and files of entries."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXTS = ("python_code", "triton_code", "test_code")
VERSION = re.compile(r"(\d{1,4}(\.\d{1,4}){0,2})?")


class EntryUnreadable(Exception):
    """A line of a file is not an entry; the message has its number and the reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`origin` selects the policy. `min_triton` and `max_triton` are the oldest and newest Triton
    release for the entry, empty for no bound."""

    id: str
    python_code: str
    triton_code: str
    test_code: str
    entry_point: str
    differentiable: bool = False
    origin: str = ""
    min_triton: str = ""
    max_triton: str = ""

    @property
    def digest(self) -> str:
        """Return the hash of the three texts, by which reports identify their entries."""
        texts = [getattr(self, name) for name in TEXTS]
        return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def unsupported(entry: Entry, installed: str) -> str:
    """Return why the installed Triton can't run the entry, or an empty text if it can.

    A bound includes all releases that begin with it: 3.5.1 is not newer than 3.5.
    """
    version, oldest, newest = map(_numbers, (installed, entry.min_triton, entry.max_triton))
    if version and version[: len(oldest)] < oldest:
        return f"it needs Triton {entry.min_triton} or newer, and {installed} is installed"
    if newest and version[: len(newest)] > newest:
        return f"it needs Triton {entry.max_triton} or older, and {installed} is installed"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0])[:3])


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a JSONL file, or of a file that is one JSON array, in their order."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise EntryUnreadable(f"{path} is no UTF-8 text: {error.reason}.") from None
    except OSError as error:
        raise EntryUnreadable(f"{path} can't be read: {error.strerror}.") from None
    if text.lstrip().startswith("["):
        for number, record in enumerate(_decoded(text, f"{path}"), 1):
            yield parse(record, f"{path}, entry {number}")
        return
    # `splitlines` would also split at line separators inside of a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield parse(_decoded(line, where), where)


def _decoded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EntryUnreadable(f"{where} is no JSON: {error}.") from None


def parse(record: Any, where: str) -> Entry:
    if not isinstance(record, dict):
        raise EntryUnreadable(f"{where} is no JSON object.")
    metadata = record.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    point = metadata.get("entry_point")
    texts = {name: _text(record, name, where) for name in TEXTS}
    if not isinstance(point, str) or not point.isidentifier():
        raise EntryUnreadable(f"{where} has no metadata.entry_point that is a name.")
    return Entry(
        id=str(record.get("id", where)),
        **texts,
        entry_point=point,
        differentiable=metadata.get("differentiable") is True,
        origin=str(metadata.get("origin", "")),
        min_triton=_version(metadata, "min_triton", where),
        max_triton=_version(metadata, "max_triton", where),
    )


def _text(record: dict[str, Any], name: str, where: str) -> str:
    text = record.get(name)
    if not isinstance(text, str) or not text.strip():
        raise EntryUnreadable(f"{where} has no {name}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise EntryUnreadable(f"{where}: {name} holds half a character.") from None
    return text


def _version(metadata: dict[str, Any], key: str, where: str) -> str:
    version = metadata.get(key) or ""
    if not isinstance(version, str) or not VERSION.fullmatch(version):
        raise EntryUnreadable(f"{where}: metadata.{key} is no version such as 3.2.")
    return version
