"""Unoptimized builds of the C launchers that Triton up to 3.6 compiles for each signature.

Triton builds them with -O3, which is a third of an entry's time on a GPU, although a launcher holds
no part of the kernel. These builds are not optimized, and a process builds each text once.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")

Paths = Sequence[str]
# From name, source, folder, library_dirs, include_dirs and libraries to the path of the library.
Build = Callable[[str, str, str, Paths, Paths, Paths], str]


def install() -> None:
    """Replace the build in the Triton releases that have a hook for it: 3.4 to 3.6."""
    knobs: Any = sys.modules.get("triton.knobs")
    driver = sys.modules.get("triton.backends.nvidia.driver")
    if hasattr(driver, "make_launcher") and hasattr(getattr(knobs, "build", None), "impl"):
        knobs.build.impl = quick()


def quick() -> Build:
    """Return a build function with a cache of its own."""
    built: dict[bytes, bytes] = {}

    def build(
        name: str, source: str, folder: str, library_dirs: Paths, include_dirs: Paths,
        libraries: Paths,
    ) -> str:  # fmt: skip
        target, text = Path(folder, f"{name}{SUFFIX}"), Path(source).read_bytes()
        if text in built:
            target.write_bytes(built[text])
            return str(target)
        headers = [*include_dirs, folder, python_headers()]
        command = [compiler(), source, "-O0", "-shared", "-fPIC", "-Wno-psabi", "-o", str(target)]
        command += [f"-l:{one}" if ".so" in one else f"-l{one}" for one in libraries]
        command += [f"-L{path}" for path in library_dirs]
        command += [f"-I{path}" for path in headers]
        subprocess.check_call(command, stdout=subprocess.DEVNULL)
        built[text] = target.read_bytes()
        return str(target)

    return build


def python_headers() -> str:
    # Debian's default scheme names the folder of installed packages, not of Python's own headers.
    scheme = sysconfig.get_default_scheme().replace("posix_local", "posix_prefix")
    return sysconfig.get_path("include", scheme)


def compiler() -> str:
    """Return the compiler that Triton would choose."""
    path = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    if path is None:
        raise RuntimeError("There is no C compiler, which Triton needs to launch a kernel.")
    return path
