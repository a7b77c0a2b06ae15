"""Sandbox side: lets Inductor write for untrusted functions, and splits models into such
functions.

`python -m validation.pairs.inductor.worker FD PARALLEL DOMAIN`, for `validation.harness.questions`.
"""

import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch._inductor.decomposition import select_decomp_table

from validation.harness.questions.forking import serve
from validation.pairs.inductor.trace import traced
from validation.pairs.inductor.whole.split import split


def answered(request: dict[str, Any]) -> dict[str, Any]:
    # Inductor would ask for the user's name, which the sandbox's user lacks.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
    return split(request) if "kind" in request else traced(request)


if __name__ == "__main__":
    torch.set_num_threads(1)
    # Slow initialization is done once, before the first child.
    select_decomp_table()
    serve(answered, {"torch": torch.__version__, "python": platform.python_version()})
