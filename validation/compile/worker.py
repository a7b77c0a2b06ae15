"""Program of the compile check's sandbox: compiles kernels, and launches one block of them."""

import platform
from collections.abc import Mapping
from typing import Any

import torch
import triton

from validation.compile.device import be_the_target
from validation.compile.examine import examine
from validation.compile.launch import launch
from validation.harness.worker.question import roles


def answer(request: dict[str, Any]) -> dict[str, Any]:
    source, name, seconds = request["source"], request["name"], request["seconds"]
    if "signature" in request:
        return launch(source, name, request["signature"], request["constants"], seconds)
    return examine(source, name, request["target"], seconds)


def up(settings: Mapping[str, Any]) -> dict[str, str]:
    be_the_target(settings["target"])
    torch.set_num_threads(1)
    versions = {"triton": triton.__version__, "torch": torch.__version__}
    return {**versions, "python": platform.python_version()}


ROLES = roles(answer)
HAS_COMPILE_BUDGET = False
