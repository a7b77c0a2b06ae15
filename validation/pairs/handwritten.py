"""Library of handwritten pairs. Each pair is a folder with the three texts and a `pair.toml`.

If `pair.toml` has `like`, missing keys and texts are taken from the folder that `like` names. The
pair is then another step of the same optimization ladder.
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
    """Yield every pair of the library, ordered by name."""
    for described in sorted(library.glob("*/pair.toml")):
        folder = described.parent
        metadata = _metadata(folder)
        if like := metadata.get("like"):
            metadata = {**_metadata(library / like), **metadata}
        yield _draft(folder, library / (like or folder.name), metadata)


def _metadata(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pair.toml").read_text("utf-8"))


def _draft(folder: Path, like: Path, metadata: dict[str, Any]) -> PairDraft:
    texts = {}
    for name in ("python_code", "triton_code", "test_code"):
        own = folder / f"{name}.py"
        texts[name] = (own if own.exists() else like / own.name).read_text("utf-8")
    differentiable = metadata["differentiable"] is True
    return PairDraft(
        entry_point=metadata["entry_point"],
        python_code=texts["python_code"],
        triton_code=texts["triton_code"],
        test_code=texts["test_code"],
        origin="manual",
        operation_type=metadata["operation_type"],
        difficulty=pair_difficulty(
            texts["triton_code"], metadata["operation_type"], differentiable
        ),
        source=OURS,
        description=metadata["description"],
        slug=folder.name,
        tags=tuple(metadata["tags"]),
        differentiable=differentiable,
        ladder=metadata.get("ladder", ""),
        rung=metadata.get("rung", ""),
    )
