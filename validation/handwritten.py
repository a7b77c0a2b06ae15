"""Reads the library of pairs written by hand: one folder each, with the three texts and a
`pair.toml` of what they don't say themselves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curation.kinds.difficulty import pair_difficulty
from curation.pairs.draft import OURS, PairDraft

LIBRARY = Path(__file__).with_name("library")


def handwritten(library: Path = LIBRARY) -> Iterator[PairDraft]:
    """Every pair, in the order of its name."""
    for described in sorted(library.glob("*/pair.toml")):
        yield _draft(described.parent, tomllib.loads(described.read_text("utf-8")))


def _draft(folder: Path, described: dict[str, Any]) -> PairDraft:
    texts = {
        name: (folder / f"{name}.py").read_text("utf-8")
        for name in ("python_code", "triton_code", "test_code")
    }
    differentiable = described["differentiable"] is True
    return PairDraft(
        entry_point=described["entry_point"],
        python_code=texts["python_code"],
        triton_code=texts["triton_code"],
        test_code=texts["test_code"],
        origin="manual",
        operation_type=described["operation_type"],
        difficulty=pair_difficulty(
            texts["triton_code"], described["operation_type"], differentiable
        ),
        source=OURS,
        description=described["description"],
        slug=folder.name,
        tags=tuple(described["tags"]),
        differentiable=differentiable,
    )
