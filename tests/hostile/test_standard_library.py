"""The standard library's own sources, its broken ones too, go through all that reads text."""

import sysconfig
from pathlib import Path

import pytest

from curation.similarity.fingerprint import fingerprints
from ingest.extract import Extraction, MemoryTree, Problem, extract
from ingest.extract.decoding import decode
from ingest.licenses.windows import windows

pytestmark = pytest.mark.slow

EACH = 20
ODD = ("/test/bad", "/lib2to3/tests/data/", "/encoded_modules/")
KERNEL = b"""

import triton

@triton.jit
def the_one_that_was_added(x):
    return x
"""


def sources() -> list[Path]:
    """One of twenty, and all that were made to be hard to read."""
    folder = Path(sysconfig.get_path("stdlib"))
    every = sorted(path for path in folder.rglob("*.py") if "site-packages" not in path.parts)
    odd = [path for path in every if any(word in path.as_posix() for word in ODD)]
    return sorted({*every[::EACH], *odd})


def test_the_standard_library_gives_enough_test_files() -> None:
    assert len(sources()) >= 50


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_each_standard_library_file_is_read_to_its_end(path: Path) -> None:
    data = path.read_bytes()

    # What stands before it may be no Python at all: then this says so, or still finds the kernel.
    said = list(extract(MemoryTree({"some/file.py": data + KERNEL})))
    found = [item.kernel for item in said if isinstance(item, Extraction)]
    refused = [item for item in said if isinstance(item, Problem)]
    assert [kernel.name for kernel in found] == ["the_one_that_was_added"] or refused
    text = decode(data).text
    looked_at, _ = windows("some/file.py", text)
    assert all(1 <= window.start_line <= text.count("\n") + 1 for window in looked_at)
    assert fingerprints([text])[0].signature
