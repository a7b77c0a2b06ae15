"""Program in Inductor's sandbox: generates code for functions, and splits models into functions."""

import os
import platform
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch._inductor.decomposition import select_decomp_table

from validation.harness.worker.question import roles
from validation.pairs.inductor.trace import traced
from validation.pairs.inductor.whole.split import split


def answer(request: dict[str, Any]) -> dict[str, Any]:
    # Without this, Inductor asks for the user's name, which the sandbox's user lacks.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
    return split(request) if "kind" in request else traced(request)


def up(_: Mapping[str, Any]) -> dict[str, str]:
    torch.set_num_threads(1)
    # Do slow initialization once, before the first child.
    select_decomp_table()
    return {"torch": torch.__version__, "python": platform.python_version()}


ROLES = roles(answer)
HAS_COMPILE_BUDGET = False
