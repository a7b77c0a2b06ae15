"""Folder and modules of an entry's three texts, and the description of their exceptions."""

import importlib
import linecache
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

NAMES = ("python_code", "triton_code", "test_code")
# Text that appears in the path of every entry's folder, and in no library's path.
MARK = "/entry-in-three-files-"
MOST = 2000


def lay_out(texts: Mapping[str, str]) -> Path:
    """Write the texts as files into a new folder, put it first on sys.path, and forget old modules.

    Triton reads a kernel's source from its file, so modules need files.
    """
    forget()
    folder = Path(tempfile.mkdtemp(prefix=MARK[1:]))
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    return folder


def forget() -> None:
    sys.path[:] = [path for path in sys.path if MARK not in path]
    for name in [name for name in sys.modules if name.partition(".")[0] in NAMES]:
        del sys.modules[name]
    linecache.clearcache()
    importlib.invalidate_caches()


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


def function(module: ModuleType, name: str) -> Any:
    """Return the function of that name, or raise LookupError."""
    value = getattr(module, name, None)
    if not callable(value):
        raise LookupError(f"{module.__name__} defines no function {name}")
    return value


def described(error: BaseException) -> dict[str, str]:
    """Return the exception's type, shortened message and line, which the entry can forge."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the exception is the entry's own class
        text = ""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).stem in NAMES:
            place = f"{Path(frame.filename).name}:{frame.lineno}"
    return {"type": type(error).__name__, "text": text[:MOST], "at": place}
