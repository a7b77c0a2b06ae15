"""The pairs written by hand, and a sample of the generated ones, as a stranger meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from curation.pairs.draft import PairDraft
from validation.contract import violations
from validation.generation import generate
from validation.handwritten import handwritten
from validation.recipes.catalogue import RECIPES

RUN_PAIRS = Path(__file__).resolve().parents[1] / "benchmarks" / "check_pairs_on_gpu.py"
FOUNDATIONAL = {
    *("add", "subtract", "multiply", "divide", "matmul"),
    *(f"{what}-{where}" for what in ("sum", "max", "min") for where in ("whole", "along-axis")),
}


def test_the_library_holds_the_foundations_and_two_dozen_complex_pairs() -> None:
    names = {draft.slug for draft in handwritten()}

    assert names >= FOUNDATIONAL
    assert len(names - FOUNDATIONAL) >= 24


@pytest.mark.parametrize("draft", list(handwritten()), ids=lambda draft: draft.slug)
def test_each_pair_of_the_library_keeps_the_contract(draft: PairDraft) -> None:
    assert violations(draft.as_record()) == []


def test_every_pair_of_the_library_passes_for_a_stranger(tmp_path: Path) -> None:
    assert_passing_for_a_stranger(handwritten(), tmp_path)


def test_a_sample_of_generated_pairs_passes_for_a_stranger(tmp_path: Path) -> None:
    assert_passing_for_a_stranger(generate(RECIPES, 30, seed=20), tmp_path)


def assert_passing_for_a_stranger(drafts: Iterable[PairDraft], folder: Path) -> None:
    """Three files in an empty folder and pytest, in Triton's interpreter; nothing of ours there."""
    file = folder / "pairs.jsonl"
    file.write_text("".join(json.dumps(draft.as_record()) + "\n" for draft in drafts), "utf-8")
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    done = subprocess.run(
        [sys.executable, str(RUN_PAIRS), str(file), "--jobs", "2", "--deadline", "300"],
        cwd=folder,
        env={**environment, "TRITON_INTERPRET": "1", "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
