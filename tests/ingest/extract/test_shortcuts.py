"""What is decided by a look at the text, so that trees are built and searched less often."""

from __future__ import annotations

import pytest

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
