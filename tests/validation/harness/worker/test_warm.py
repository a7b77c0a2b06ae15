"""The fork server does once what each child would do the first time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def other(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.exp(offsets * 1.0) / tl.sum(offsets * 1.0, 0))
"""
SCRIPT = Path(__file__).parent / "programs" / "compile_after_warm_up.py"


@pytest.mark.slow
def test_the_fork_server_has_preloaded_the_modules_for_compiling(tmp_path: Path) -> None:
    (tmp_path / "other_kernel.py").write_text(KERNEL)
    environment = {name: value for name, value in os.environ.items() if "TRITON" not in name}
    environment["PYTHONPATH"] = str(settings.BASE_DIR)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), str(tmp_path)],
        env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {
        "threads": 0, "context": False, "cache": None, "module": False, "imported": [],
    }  # fmt: skip
