"""The helpers that kernels get compute what torch computes, in Triton's interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from validation.pairs.inductor.device_functions import TEXT as HELPERS

PROGRAM = Path(__file__).parent / "programs" / "device_functions_agree.py"


@pytest.mark.slow
def test_inductor_helpers_agree_with_torch_on_all_kinds_of_values() -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM],
        env={**os.environ, "PYTHONPATH": str(HELPERS.parent), "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr[-2000:]
