"""Command lines for a module of the project in a sandbox that can read only its packages.

The folder of the packages is closed there, because it may hold the data folder. So no import
path leads to them, and a program names the folder of each.
"""

import sys
from pathlib import Path

import curation
import ingest

PACKAGES = tuple(Path(package.__path__[0]).resolve() for package in (ingest, curation))


def command(name: str, *arguments: str) -> list[str]:
    """Return the command that runs the module `name` of one of the packages."""
    folders = {folder.name: str(folder) for folder in PACKAGES}
    program = (
        "import runpy, sys, types\n"
        f"for name, folder in {folders!r}.items():\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "    sys.modules[name].__path__ = [folder]\n"
        f"runpy.run_module({name!r}, run_name='__main__', alter_sys=True)\n"
    )
    return [sys.executable, "-c", program, *arguments]
