"""What a Python program, and the C compiler that Triton calls, need to read."""

import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SYSTEM = (
    "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin",
    "/usr/bin", "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec",
    "/usr/libx32", "/usr/share/zoneinfo",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime",
)  # fmt: skip


def python_readable() -> tuple[Path, ...]:
    """The interpreter, its packages, the system's libraries and compilers.

    Package folders may stand in a home; the home itself is never among them.
    """
    wanted = [Path(path) for path in SYSTEM if Path(path).exists()]
    for path in (*_interpreter(), *_packages()):
        if path.is_dir() and not _too_wide(path) and not _within(path, wanted):
            wanted.append(path)
    return tuple(wanted)


def _interpreter() -> Iterator[Path]:
    for prefix in (sys.base_prefix, sys.prefix):
        root = Path(prefix).resolve()
        if (root / "pyvenv.cfg").exists() or not _shared(root):
            yield root
        else:
            # A system's Python: its prefix holds far more than Python.
            yield root / "bin"
            yield from (Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
            yield from (root / "lib", root / "include")


def _packages() -> Iterator[Path]:
    for entry in (*sys.path, *site.getsitepackages()):
        path = Path(entry)
        if path.name in ("site-packages", "dist-packages"):
            yield path.resolve()


def _shared(root: Path) -> bool:
    return root in (Path("/usr"), Path("/usr/local"))


def _too_wide(path: Path) -> bool:
    home = Path.home().resolve()
    return path in (Path("/"), Path("/etc"), Path("/var")) or path == home or path in home.parents


def _within(path: Path, folders: list[Path]) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)
