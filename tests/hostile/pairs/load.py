"""Pairs as an outside kernel author writes them, and the verdict that each deserves."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.zoo.catalog import Needs
from tests.hostile.zoo.load import Entry, read_code

PAIRS = Path(__file__).parent
METADATA = ("origin", "mutates", "max_triton")


@dataclass(frozen=True, slots=True)
class Pair:
    entry: Entry
    metadata: dict[str, Any]
    note: str
    # One sentence, or empty for an honest pair.
    fault: str
    # Verdicts, any of which is right.
    expected: frozenset[str]
    # Grades that the report must show, by name; each only for the pairs that depend on it.
    grades: dict[str, str]

    @property
    def name(self) -> str:
        return self.entry.name

    def record(self) -> dict[str, Any]:
        record = self.entry.record()
        record["metadata"] |= self.metadata
        return record


def load_pairs() -> tuple[Pair, ...]:
    """Return all pairs, the honest ones first, each kind in the order of its names."""
    return tuple(read_pair(folder) for kind in ("honest", "faulty") for folder in _folders(kind))


def _folders(kind: str) -> Iterator[Path]:
    return (path.parent for path in sorted((PAIRS / kind).glob("*/entry.toml")))


def read_pair(folder: Path) -> Pair:
    about = tomllib.loads((folder / "entry.toml").read_text())
    entry = Entry(
        name=folder.name,
        code=read_code(folder, about["entry_point"]),
        entry_point=about.pop("entry_point"),
        operation_type=about.pop("operation_type", "other"),
        difficulty=about.pop("difficulty", "medium"),
        dtypes=(),
        differentiable=about.pop("differentiable", False),
        needs=Needs(about.pop("needs", Needs.NOTHING)),
        # A faulty pair always runs.
        representative=about.pop("representative", "fault" in about),
    )
    pair = Pair(
        entry=entry,
        metadata={key: about.pop(key) for key in METADATA if key in about},
        note=about.pop("note"),
        fault=about.pop("fault", ""),
        expected=frozenset(about.pop("expected", ["passed"])),
        grades=about.pop("grades", {}),
    )
    if about:
        raise ValueError(f"{folder.name}/entry.toml has unknown keys: {', '.join(about)}.")
    return pair
