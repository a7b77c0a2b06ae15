"""Extraction over real code: the wheel of liger-kernel, and the Inductor of torch."""

from __future__ import annotations

import pytest

from ingest.extract import Extraction, MemoryTree, Problem, extract
from tests.ingest.extract.reading import files_of
from tests.ingest.extract.undefined import undefined_names

Files = dict[str, bytes]


@pytest.fixture(scope="module", params=["liger_kernel", "torch._inductor"])
def files(request: pytest.FixtureRequest) -> Files:
    return files_of(request.param)


@pytest.fixture(scope="module")
def found(files: Files) -> list[Extraction]:
    items = list(extract(MemoryTree(files)))
    assert not [item for item in items if isinstance(item, Problem)]
    return [item for item in items if isinstance(item, Extraction)]


def test_entries_and_helpers_of_real_code_are_found(found: list[Extraction]) -> None:
    assert len(found) >= 30
    assert {item.kernel.kind for item in found} == {"entry", "helper"}
    assert {item.kernel.name for item in found} & {"promote_to_tensor", "_attn_res_fwd_kernel"}


def test_over_90_percent_are_standalone_and_use_no_undefined_name(found: list[Extraction]) -> None:
    alone = [item for item in found if item.unit.standalone]

    assert len(alone) / len(found) > 0.9
    assert [item.kernel.qualname for item in alone if undefined_names(item.unit.source)] == []


def test_extracted_kernels_equal_the_lines_of_their_file(
    files: Files, found: list[Extraction]
) -> None:
    for kernel in (item.kernel for item in found if item.kernel.container != "string"):
        lines = files[kernel.path].decode().split("\n")
        assert "\n".join(lines[kernel.start_line - 1 : kernel.end_line]) == kernel.source
