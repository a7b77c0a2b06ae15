"""Imports standalone modules in a throw-away container: no network, no home, nothing of the host
but the Python that runs this script. Prints one JSON line for each module that fails.

Usage: python import_in_container.py FOLDER  (the folder holds the modules as *.py)
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

SECONDS_A_MODULE = 20


def import_all(folder: Path) -> dict[str, str]:
    """The modules of the folder that can't be imported, each with its error."""
    command = [
        *("bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534"),
        *("--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
        *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
        *("--ro-bind", "/usr", "/usr"),
    ]
    for link in ("/bin", "/lib", "/lib64"):
        if os.path.islink(link):
            command += ["--symlink", os.readlink(link), link]
    for needed in sorted({sys.base_prefix, sys.prefix}):
        if not needed.startswith("/usr"):
            command += ["--ro-bind", needed, needed]
    script = Path(__file__).resolve()
    command += ["--ro-bind", str(script), "/script.py", "--ro-bind", str(folder), "/modules"]
    for name, value in (("HOME", "/"), ("OMP_NUM_THREADS", "1"), ("PATH", "/usr/bin:/bin")):
        command += ["--setenv", name, value]
    command += [sys.executable, "/script.py", "--inside", "/modules"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"The container failed: {done.stderr[-2000:]}")
    failures: dict[str, str] = {}
    for line in done.stdout.splitlines():
        name, error = json.loads(line)
        failures[name] = error
    return failures


def _import_here(folder: Path) -> None:
    """Inside the container: import torch and triton once, then fork for each module."""
    for name in ("torch", "triton.language", "triton.experimental.gluon.language"):
        importlib.import_module(name)

    for path in sorted(folder.glob("*.py")):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            signal.alarm(SECONDS_A_MODULE)
            os.write(writer, _error_of(path).encode("utf-8", "replace")[:60_000])
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            error = pipe.read().decode("utf-8", "replace")
        _, status = os.waitpid(child, 0)
        if status != 0:
            error = f"The process died (status {status})."
        if error:
            sys.stdout.write(json.dumps([path.name, error]) + "\n")


def _error_of(path: Path) -> str:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    spec = importlib.util.spec_from_file_location(f"kernel_{path.stem}", path)
    if spec is None or spec.loader is None:
        return "no loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 - whatever foreign code raises is the result
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        _import_here(Path(sys.argv[2]))
    else:
        for name, error in import_all(Path(sys.argv[1])).items():
            sys.stdout.write(json.dumps([name, error]) + "\n")
