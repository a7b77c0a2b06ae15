"""Sandbox side: compiles kernels, and launches kernels with a known signature.

`python -m validation.compile.worker FD PARALLEL DOMAIN TARGET`, for `validation.harness.questions`.
"""

import platform
import sys
from typing import Any

import torch
import triton

from validation.compile.device import be_the_target
from validation.compile.examine import examine
from validation.compile.launch import launch
from validation.harness.questions.forking import serve


def answer(request: dict[str, Any]) -> dict[str, Any]:
    source, name, seconds = request["source"], request["name"], request["seconds"]
    if "signature" in request:
        return launch(source, name, request["signature"], request["constants"], seconds)
    return examine(source, name, request["target"], seconds)


if __name__ == "__main__":
    be_the_target(sys.argv[4])
    torch.set_num_threads(1)
    versions = {"triton": triton.__version__, "torch": torch.__version__}
    serve(answer, {**versions, "python": platform.python_version()})
