"""Extraction over the installed torch's own Inductor, without carrying any of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from ingest.extract import Extraction, MemoryTree, Problem, extract
from tests.ingest.extract.undefined import undefined_names


@pytest.fixture(scope="module")
def items() -> list[Extraction | Problem]:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed, and its Inductor is the corpus of this test")
    root = Path(spec.origin).parent
    files = {"torch/__init__.py": b""}
    for path in (root / "_inductor").rglob("*.py"):
        files[f"torch/{path.relative_to(root).as_posix()}"] = path.read_bytes()
    return list(extract(MemoryTree(files)))


def test_inductors_helpers_are_found(items: list[Extraction | Problem]) -> None:
    found = [item for item in items if isinstance(item, Extraction)]
    assert 30 <= len(found) <= 120
    assert "promote_to_tensor" in {extraction.kernel.name for extraction in found}
    assert not [item for item in items if isinstance(item, Problem)]


def test_no_standalone_unit_uses_a_name_that_nothing_defines(
    items: list[Extraction | Problem],
) -> None:
    units = [item.unit for item in items if isinstance(item, Extraction)]
    standalone = [unit for unit in units if unit.standalone]
    assert len(standalone) >= 0.9 * len(units)
    assert [undefined_names(unit.source) for unit in standalone] == [()] * len(standalone)
