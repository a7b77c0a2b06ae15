"""An honest program: uses its folder, a compiler and its own entry in /proc."""

import ctypes
import subprocess
import tempfile
from pathlib import Path


def use_all() -> None:
    folder = Path(tempfile.mkdtemp())
    moved = folder / "inner" / "moved.c"
    moved.parent.mkdir()
    (folder / "made.c").write_text("int seven(void) { return 7; }\n")
    (folder / "made.c").rename(moved)
    library = folder / "made.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, moved], check=True)
    assert ctypes.CDLL(str(library)).seven() == 7
    for path in ("/proc/cpuinfo", "/proc/meminfo", "/dev/urandom", "/dev/null"):
        with open(path, "rb") as file:
            file.read(64)
    with open("/dev/null", "wb") as file:
        file.write(b"x")


use_all()
