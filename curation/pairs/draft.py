"""Pairs that are not stored yet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from curation.identity import content_hash
from curation.pairs.descriptions import derive
from curation.pairs.min_triton import min_triton


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a pair. The fields are the keys of `provenance` in the dataset."""

    repository: str = ""
    commit: str = ""
    path: str = ""
    lines: str = ""
    url: str = ""
    license: str = ""
    """SPDX expression. Empty if unknown."""
    copyright: str = ""

    def as_metadata(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


OURS = Source(
    repository="triton-curation",
    license="MIT",
    copyright="Copyright (c) 2026 The triton-curation authors",
)
"""Source of the pairs that the authors of this project wrote, by hand or by recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDraft:
    entry_point: str
    python_code: str
    triton_code: str
    test_code: str
    origin: str
    operation_type: str
    difficulty: str
    source: Source
    description: str = ""
    """One sentence on what both functions compute. If empty, derived from the Python code."""
    slug: str = ""
    """If empty, derived from the entry point."""
    tags: tuple[str, ...] = ()
    differentiable: bool = False
    recipe: str = ""
    split_group: str = ""
    ladder: str = ""
    """Name of a group of pairs that have the same Python code, and differ in optimization."""
    rung: str = ""
    """Position in the ladder, counted from the slowest pair, and a name, as in `1 naive`."""
    kernel: int | None = None
    """Primary key of the kernel from which the pair was drafted."""
    hardware: str = "cuda"

    @property
    def min_triton(self) -> str:
        return min_triton(self.triton_code)

    @property
    def content_hash(self) -> str:
        return content_hash(self.python_code, self.triton_code, self.test_code)

    @property
    def record_id(self) -> str:
        """Return the record id, equal to `str()` of the stored row."""
        return f"{self.readable}-{self.content_hash[:8]}"

    @property
    def readable(self) -> str:
        return (self.slug or self.entry_point.strip("_").replace("_", "-").lower())[:120]

    @property
    def sentence(self) -> str:
        return self.description or self.derived_description

    @property
    def derived_description(self) -> str:
        return derive(
            origin=self.origin,
            entry_point=self.entry_point,
            operation_type=self.operation_type,
            python_code=self.python_code,
            split_group=self.split_group,
            provenance=self.source.as_metadata(),
        )

    def as_record(self) -> dict[str, Any]:
        """Return the record of the pair in the dataset's form."""
        metadata: dict[str, Any] = {
            "description": self.sentence,
            "operation_type": self.operation_type,
            "difficulty": self.difficulty,
            "tags": list(self.tags),
            "entry_point": self.entry_point,
            "origin": self.origin,
            "hardware": [self.hardware],
            "min_triton": self.min_triton,
            "max_triton": None,
            "provenance": self.source.as_metadata(),
            "differentiable": self.differentiable,
        }
        if self.recipe:
            metadata["recipe"] = self.recipe
        return {
            "id": self.record_id,
            "python_code": self.python_code,
            "triton_code": self.triton_code,
            "test_code": self.test_code,
            "metadata": metadata,
        }
