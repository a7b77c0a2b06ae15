"""The kind of a kernel: operation, difficulty, tags."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.classify.dataflow import flow
from ingest.classify.difficulty import Difficulty, difficulty
from ingest.classify.evidence import Evidence
from ingest.classify.operation import Operation, operation
from ingest.classify.reading import Reading, read
from ingest.classify.tags import tags

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Classification:
    operation_type: Operation
    difficulty: Difficulty
    tags: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    """At least one piece for each verdict but `other`, which is the lack of any."""
    rules: str = VERSION


def classify(name: str, text: str) -> Classification:
    """`name` is the kernel's own; `text` its standalone unit, or else its function."""
    return classification(read(name, text))


def classification(reading: Reading) -> Classification:
    flows = flow(reading)
    kind, seen = operation(reading, flows)
    level, counted = difficulty(reading, flows)
    tagged = tags(reading, flows)
    return Classification(kind, level, tuple(tag.says for tag in tagged), (*seen, counted, *tagged))
