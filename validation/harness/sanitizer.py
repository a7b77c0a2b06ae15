"""compute-sanitizer: where it is, how it is called, and what its words mean."""

import os
import re
import shutil
from pathlib import Path

NAME = "compute-sanitizer"
# What it ends with where it found something. No shell and no signal uses it.
FOUND = 97
LINES = 8
SUMMARY = re.compile(r"^=+ ERROR SUMMARY: (\d+) errors?", re.MULTILINE)
NO_COMPLAINT = ("COMPUTE-SANITIZER", "ERROR SUMMARY")
# A folder that holds more than a toolkit is open to nobody.
TOO_WIDE = (Path("/"), Path("/usr"), Path("/usr/local"), Path("/opt"))


def found() -> Path | None:
    """On PATH, or in the toolkit that CUDA_HOME names."""
    home = os.environ.get("CUDA_HOME")
    places = [f"{home}/bin", f"{home}/compute-sanitizer"] if home else []
    path = shutil.which(NAME) or shutil.which(NAME, path=os.pathsep.join(places) or os.devnull)
    return Path(path).absolute() if path else None


def command(tool: Path, program: list[str]) -> list[str]:
    return [
        str(tool), "--tool", "memcheck", "--error-exitcode", str(FOUND),
        "--target-processes", "application-only", "--print-limit", "20", *program,
    ]  # fmt: skip


def readable(tool: Path) -> list[Path]:
    """The folders that it and its libraries stand in."""
    roots = []
    for path in (tool, tool.resolve()):
        root = path.parent.parent if path.parent.name == "bin" else path.parent
        if root not in TOO_WIDE:
            roots.append(root)
    return roots


def errors(said: str, status: int) -> int | None:
    """How many it counts; None where it did not come to count them."""
    counts = [int(count) for count in SUMMARY.findall(said)]
    if not counts:
        return 1 if status == FOUND else None
    return max(*counts, int(status == FOUND))


def complaint(said: str) -> str:
    """The first of its lines that say something."""
    lines = [
        " ".join(line.strip("= ").split()) for line in said.splitlines() if line.startswith("===")
    ]
    telling = [line for line in lines if line and not line.startswith(NO_COMPLAINT)]
    return "; ".join(telling[:LINES])
