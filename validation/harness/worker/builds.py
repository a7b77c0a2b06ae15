"""Unoptimized builds of the C launchers that Triton 3.5 and 3.6 compile for each signature.

Triton's builds with -O3 take a third of an entry's time on a GPU, although they contain no part of
the kernel. These builds are not optimized, and a process builds each source once.
"""

import inspect
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def install() -> None:
    """Wrap the build function of the releases that build launchers and pass options to it."""
    build: Any = sys.modules["triton.runtime.build"]
    original, built = build._build, dict[bytes, bytes]()
    builds_launchers = hasattr(sys.modules.get("triton.backends.nvidia.driver"), "make_launcher")
    if not builds_launchers or "ccflags" not in inspect.signature(original).parameters:
        return

    def build_quickly(name: str, source: str, folder: str, *given: Sequence[str]) -> str:
        *paths, options = given
        text, target = Path(source).read_bytes(), Path(folder, f"{name}{SUFFIX}")
        if text not in built:
            # The last of several optimization levels counts.
            path = original(name, source, folder, *paths, [*options, "-O0"])
            built[text] = Path(path).read_bytes()
        target.write_bytes(built[text])
        return str(target)

    build._build = build_quickly
