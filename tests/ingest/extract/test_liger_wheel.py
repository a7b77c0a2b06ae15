"""Extraction over the installed liger-kernel wheel: real code that isn't carried here."""

import importlib.util
import os
from pathlib import Path

import pytest

from ingest.extract import Extraction, MemoryTree, extract
from tests.ingest.extract.undefined import undefined_names


@pytest.fixture(scope="module")
def found() -> list[Extraction]:
    spec = importlib.util.find_spec("liger_kernel")
    if spec is None or not spec.submodule_search_locations:
        if os.environ.get("CI"):
            pytest.fail("CI must have the liger-kernel wheel")
        pytest.skip("liger-kernel is not installed (pip install --no-deps liger-kernel)")
    root = Path(spec.submodule_search_locations[0])
    files = {f"liger_kernel/{p.relative_to(root)}": p.read_bytes() for p in root.rglob("*.py")}
    return [item for item in extract(MemoryTree(files)) if isinstance(item, Extraction)]


def test_the_kernels_of_the_liger_wheel_are_extracted(found: list[Extraction]) -> None:
    assert len(found) > 80
    assert len({item.kernel.path for item in found}) > 20
    assert {item.kernel.kind for item in found} == {"entry", "helper"}


def test_over_90_percent_of_the_wheel_kernels_are_standalone(found: list[Extraction]) -> None:
    alone = [item for item in found if item.unit.standalone]

    assert len(alone) / len(found) > 0.9
    assert [item.kernel.qualname for item in alone if undefined_names(item.unit.source)] == []


def test_extracted_kernels_equal_the_lines_of_their_file(found: list[Extraction]) -> None:
    root = Path(importlib.util.find_spec("liger_kernel").submodule_search_locations[0])  # type: ignore[union-attr, index]
    for item in found:
        kernel = item.kernel
        lines = (root.parent / kernel.path).read_text().split("\n")
        if kernel.container not in ("string", "template"):
            assert "\n".join(lines[kernel.start_line - 1 : kernel.end_line]) == kernel.source
