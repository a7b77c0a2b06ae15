"""Unoptimized builds of the C launchers that Triton up to 3.6 compiles for each signature.

Triton's builds with -O3 take a third of an entry's time on a GPU, although they contain no part of
the kernel. These builds are not optimized, and a process builds each source once.
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
# Arguments: name, source, folder, library_dirs, include_dirs, libraries. Result: a library's path.
Build = Callable[[str, str, str, Paths, Paths, Paths], str]


def install() -> None:
    """Replace Triton's build function in the releases that support it: 3.4 to 3.6."""
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
    # Debian's default scheme has the headers of installed packages, not those of Python.
    scheme = sysconfig.get_default_scheme().replace("posix_local", "posix_prefix")
    return sysconfig.get_path("include", scheme)


def compiler() -> str:
    """Return the C compiler that Triton would choose."""
    path = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    if path is None:
        raise RuntimeError("There is no C compiler, which Triton needs to launch a kernel.")
    return path
