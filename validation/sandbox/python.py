"""How the sandbox's own scripts are started."""

import sys
from pathlib import Path

# Whom a program runs as where root started it.
NOBODY = 65534


def python() -> list[str]:
    """An interpreter that reads nothing but itself: no site-packages, no environment."""
    return [interpreter(), "-I", "-S"]


def interpreter() -> str:
    return str(Path(sys.executable).resolve())


def script(name: str) -> Path:
    return Path(__file__).resolve().with_name(f"{name}.py")


def module(name: str, *arguments: str) -> list[str]:
    """Run a module of this package inside, where only the package's own folder is readable, not
    the one that it stands in: that holds the data folder."""
    package = Path(__file__).resolve().parents[1]
    program = (
        "import runpy, sys, types; package = types.ModuleType('validation'); "
        f"package.__path__ = [{str(package)!r}]; sys.modules['validation'] = package; "
        f"runpy.run_module({name!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-c", program, *arguments]
