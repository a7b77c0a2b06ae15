"""Kind of a kernel: operation, difficulty, tags."""

from __future__ import annotations

from dataclasses import dataclass

from curation.kinds.dataflow import flow
from curation.kinds.difficulty import Difficulty, difficulty
from curation.kinds.reading import Evidence, Reading, read
from ingest.classify.operation import operation
from ingest.classify.operation_signs import Operation
from ingest.classify.tags import tags

# Raise this version if the kind, hardware or lowest Triton release changes for any text.
VERSION = "5"


@dataclass(frozen=True, slots=True)
class Classification:
    operation_type: Operation
    difficulty: Difficulty
    tags: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    """At least one piece of evidence per verdict. Only an `other` without a match may have none."""
    rules: str = VERSION


def classify(name: str, text: str, place: str = "") -> Classification:
    """Classify one kernel. `place` names its file and its launcher.

    `text` is its standalone unit, or its function if it has no unit.
    """
    return classification(read(name, text, place))


def classification(reading: Reading) -> Classification:
    flows = flow(reading)
    kind, seen = operation(reading, flows)
    level, counted = difficulty(reading, flows, kind)
    tagged = tags(reading, flows)
    return Classification(kind, level, tuple(tag.says for tag in tagged), (*seen, counted, *tagged))
