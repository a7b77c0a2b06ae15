"""Runs pairs as a stranger would: three files in an empty folder, then pytest.

The parent imports torch, triton and pytest once and forks a child for each pair, because a fresh
process costs five seconds. It runs wherever those three are installed. Without a GPU set
TRITON_INTERPRET=1 before anything is imported: the pairs then see what the harness's interpreter
offers in place of a GPU.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# Forking after the parent has used OpenMP hangs the child.
os.environ.setdefault("OMP_NUM_THREADS", "1")

WORKER = Path(__file__).resolve().parents[3] / "validation" / "harness" / "worker"
KEYS = ("python_code", "triton_code", "test_code")


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    passed: bool
    seconds: float
    output: str


@dataclass(slots=True)
class _Child:
    name: str
    process: int
    folder: Path
    started: float


def outcomes(
    entries: Iterable[Mapping[str, Any]], jobs: int = 1, deadline: float = 120
) -> Iterator[Outcome]:
    """In the order in which they end."""
    _warm()
    try:
        yield from _outcomes(entries, jobs, deadline)
    finally:
        gc.unfreeze()


def _outcomes(
    entries: Iterable[Mapping[str, Any]], jobs: int, deadline: float
) -> Iterator[Outcome]:
    waiting, running = iter(entries), dict[int, _Child]()
    while True:
        while len(running) < jobs and (entry := next(waiting, None)) is not None:
            child = _start(entry)
            running[os.pidfd_open(child.process)] = child
        if not running:
            return
        ready, _, _ = select.select(list(running), [], [], 1.0)
        late = [pidfd for pidfd, c in running.items() if time.monotonic() - c.started > deadline]
        for pidfd in late:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running[pidfd].process, signal.SIGKILL)
        for pidfd in ready:
            yield _end(pidfd, running.pop(pidfd))


def _warm() -> None:
    """What every child would import for itself: once, and where forks leave it shared."""
    for module in (
        "pytest",
        "torch",
        # The first gradient asks for these two, half a thousand modules, on a CPU too.
        "torch.fx.experimental.symbolic_shapes",
        "sympy",
        "triton",
        "triton.experimental.gluon",
    ):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(module)
    # A collection would write to every page that a child shares with its parent.
    gc.freeze()


def _start(entry: Mapping[str, Any]) -> _Child:
    folder = Path(tempfile.mkdtemp(prefix="pair-"))
    for key in KEYS:
        (folder / f"{key}.py").write_text(entry[key])
    started = time.monotonic()
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        os._exit(_child(folder))
    return _Child(str(entry["id"]), process, folder, started)


def _child(folder: Path) -> int:
    os.setsid()
    out = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    # A stranger has no plug-ins; ours take seconds to load.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(folder))
    if os.environ.get("TRITON_INTERPRET") == "1":
        _replace_gpu()
    import pytest

    code = pytest.main(
        ["-q", "--tb=short", "--rootdir=.", "-c", os.devnull, "-p", "no:cacheprovider",
         "test_code.py"]
    )  # fmt: skip
    sys.stdout.flush()
    return int(code)


def _replace_gpu() -> None:
    """Let autotuners take their first configuration, launchers read a GPU's properties, and
    kernels round to narrow floats, as in the harness's interpreter.
    """
    import torch
    from triton.runtime.autotuner import Autotuner

    small: Any = SimpleNamespace(multi_processor_count=4)
    torch.cuda.get_device_properties = lambda device=None: small
    Autotuner._bench = lambda *args, **kwargs: [1.0, 1.0, 1.0]
    # By its path: the project's packages need more than torch and triton.
    spec = importlib.util.spec_from_file_location("conversions", WORKER / "conversions.py")
    assert spec is not None and spec.loader is not None
    conversions = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conversions)
    conversions.patch_conversions()


def _end(pidfd: int, child: _Child) -> Outcome:
    _, status = os.waitpid(child.process, 0)
    os.close(pidfd)
    output = (child.folder / "output").read_text(errors="replace")
    shutil.rmtree(child.folder, ignore_errors=True)
    seconds = time.monotonic() - child.started
    return Outcome(child.name, os.waitstatus_to_exitcode(status) == 0, seconds, output)
