"""Runs pytest in each of the folders given, in a process forked from one that has torch loaded.

Print a folder's name and pytest's exit code, one a line. Only for honest entries: it confines none.
"""

import gc
import importlib
import os
import sys
from pathlib import Path

import pytest

OPTIONS = ("-q", "--no-header", "-p", "no:cacheprovider", "--rootdir=.", "--tb=short")


def main() -> None:
    # Before torch: a child that is forked after OpenMP's threads started would hang in them, and
    # Triton asks for its interpreter when a kernel is defined.
    os.environ.update(OMP_NUM_THREADS="1", TRITON_INTERPRET="1")
    # A stranger has no plugins of ours.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # The first gradient asks for the second, half a thousand modules, a kernel for the last.
    for module in (
        "torch",
        "torch.fx.experimental.symbolic_shapes",
        "triton.language",
        "triton.experimental.gluon",
    ):
        importlib.import_module(module)
    # A collection would write to every page that a child shares with its parent.
    gc.freeze()

    for folder in map(Path, sys.argv[1:]):
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            report = os.open("report.txt", os.O_CREAT | os.O_WRONLY)
            os.dup2(report, 1)
            os.dup2(report, 2)
            code = int(pytest.main([*OPTIONS, "."]))
            sys.stdout.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{folder.name} {os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
