"""One record of the dataset, as the harness needs it, and the reading of a file of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXTS = ("python_code", "triton_code", "test_code")


class EntryUnreadable(Exception):
    """A line that is no entry; the sentence says which and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`origin` says whose code it is: entries of one origin may share a process."""

    id: str
    python_code: str
    triton_code: str
    test_code: str
    entry_point: str
    differentiable: bool = False
    origin: str = ""


def read_entries(path: Path) -> Iterator[Entry]:
    """The entries of a JSONL file, or of a JSON array, one after the other."""
    with path.open(encoding="utf-8") as file:
        start = file.read(1)
        file.seek(0)
        records = enumerate(json.load(file), 1) if start == "[" else _lines(path, file)
        for number, record in records:
            yield parse(record, f"{path}, entry {number}")


def parse(record: Any, where: str) -> Entry:
    if not isinstance(record, dict):
        raise EntryUnreadable(f"{where} is no JSON object.")
    metadata = record.get("metadata") or {}
    texts: dict[str, str] = {}
    for name in TEXTS:
        text = record.get(name)
        if not isinstance(text, str) or not text.strip():
            raise EntryUnreadable(f"{where} has no {name}.")
        texts[name] = text
    point = metadata.get("entry_point")
    if not isinstance(point, str) or not point.isidentifier():
        raise EntryUnreadable(f"{where} has no metadata.entry_point that is a name.")
    provenance = metadata.get("provenance") or {}
    origin = f"{metadata.get('origin', '')}:{provenance.get('repository', '')}"
    return Entry(
        id=str(record.get("id", where)),
        entry_point=point,
        differentiable=metadata.get("differentiable") is True,
        origin=origin.strip(":"),
        python_code=texts["python_code"],
        triton_code=texts["triton_code"],
        test_code=texts["test_code"],
    )


def _lines(path: Path, file: Any) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise EntryUnreadable(f"{path}, line {number} is no JSON: {error}") from error
