"""Python in a sandbox: its command line, and the paths that it and Triton's C compiler read."""

import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

# User ID under which a program runs if root starts the sandbox. Every Linux has this user.
SANDBOX_UID = 65534
SYSTEM = (
    "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin",
    "/usr/bin", "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec",
    "/usr/libx32", "/usr/share/zoneinfo",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime",
)  # fmt: skip


def python() -> list[str]:
    """Return the command of an interpreter that ignores site-packages and the environment."""
    return [interpreter(), "-I", "-S", "-B"]


def interpreter() -> str:
    return str(Path(sys.executable).resolve())


def script(name: str) -> Path:
    """Return the path of a file of this package."""
    return Path(__file__).resolve().with_name(f"{name}.py")


def python_readable() -> tuple[Path, ...]:
    """Return paths of the interpreter, its packages, the system's libraries and compilers.

    Package folders may be inside of a home folder. The home folder itself is never returned.
    """
    paths = [Path(path) for path in SYSTEM if Path(path).exists()]
    for path in (*_interpreter_folders(), *_package_folders()):
        covered = any(path == folder or folder in path.parents for folder in paths)
        if path.is_dir() and not _is_too_wide(path) and not covered:
            paths.append(path)
    return tuple(paths)


def _interpreter_folders() -> Iterator[Path]:
    for prefix in (sys.base_prefix, sys.prefix):
        root = Path(prefix).resolve()
        if (root / "pyvenv.cfg").exists() or root not in (Path("/usr"), Path("/usr/local")):
            yield root
        else:
            # The prefix of a system's Python contains much more than Python, so select folders.
            yield root / "bin"
            yield from (Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
            yield from (root / "lib", root / "include")


def _package_folders() -> Iterator[Path]:
    for entry in (*sys.path, *site.getsitepackages()):
        path = Path(entry)
        if path.name in ("site-packages", "dist-packages"):
            yield path.resolve()


def _is_too_wide(path: Path) -> bool:
    home = Path.home().resolve()
    return path in (Path("/"), Path("/etc"), Path("/var")) or path == home or path in home.parents
