"""What is decided by a look at the text, so that trees are built and searched less often."""

from __future__ import annotations

import gc

import pytest

from ingest.extract import MemoryTree, extract
from ingest.extract.names import only_read
from tests.ingest.extract.reading import PRELUDE, read

KERNEL = f"{PRELUDE}\n@triton.jit\ndef add(x):\n    tl.store(x, 1)\n"


@pytest.mark.parametrize("link", ["as plus", "as \\\n    plus", "as  # so called\n    plus"])
def test_a_launch_under_an_import_alias_of_a_third_file_is_recognized(link: str) -> None:
    files: dict[str, str | bytes] = {
        "ops/kernels.py": KERNEL,
        "ops/api.py": f"from ops.kernels import (add {link})\n",
        "ops/use.py": f"{PRELUDE}from ops.api import plus\n@triton.jit\ndef other(x):\n    pass\n"
        "def launch(x):\n    plus[(1,)](x)\n",
    }
    found, _ = read(files)
    add = next(extraction.kernel for extraction in found if extraction.kernel.name == "add")
    assert [launcher.qualname for launcher in add.launchers] == ["launch"]


@pytest.mark.parametrize(
    "text",
    [
        b"f = 1",
        b"for f in x: pass",
        b"g(f)",
        b"def f(): pass",
        b"class f(A): pass",
        b"import f.g",
        b"type f[T] = T",
        b"f (x)",
    ],
)
def test_only_read_rejects_a_text_that_may_bind_the_name(text: bytes) -> None:
    assert not only_read(text, b"f")


@pytest.mark.parametrize("text", [b"f(x)", b"f[g](x)", b"f.run(off, ff)", b"type(f.a)", b"x"])
def test_only_read_accepts_a_text_that_only_reads_the_name(text: bytes) -> None:
    assert only_read(text, b"f")


def test_the_garbage_collector_is_enabled_while_the_caller_runs() -> None:
    tree = MemoryTree({"a.py": KERNEL.encode(), "b.py": KERNEL.encode()})
    for _ in extract(tree):
        assert gc.isenabled()
    assert gc.isenabled()
