"""compute-sanitizer: its path, its command line, and the parsing of its output."""

import os
import re
import shutil
from pathlib import Path

NAME = "compute-sanitizer"
# Exit status for a reported error. Neither shells nor signals use this number.
FOUND = 97
LINES = 8
SUMMARY = re.compile(r"^=+ ERROR SUMMARY: (\d+) errors?", re.MULTILINE)
NO_COMPLAINT = ("COMPUTE-SANITIZER", "ERROR SUMMARY")
# Folders that contain more than a CUDA toolkit. They are not made readable.
TOO_WIDE = (Path("/"), Path("/usr"), Path("/usr/local"), Path("/opt"))


def found() -> Path | None:
    """Find the tool in PATH or in the toolkit that CUDA_HOME names. Return its path or None."""
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
    """Return the folders that contain the tool and its libraries."""
    folders = [path.parent for path in (tool, tool.resolve())]
    roots = [folder.parent if folder.name == "bin" else folder for folder in folders]
    return [root for root in roots if root not in TOO_WIDE]


def errors(output: str, status: int) -> int | None:
    """Return the number of errors in the tool's summary, or None without a summary."""
    counts = [int(count) for count in SUMMARY.findall(output)]
    if not counts:
        return 1 if status == FOUND else None
    return max(*counts, int(status == FOUND))


def complaint(output: str) -> str:
    """Return the first lines in which the tool describes an error."""
    lines = [
        " ".join(line.strip("= ").split()) for line in output.splitlines() if line.startswith("===")
    ]
    described = [line for line in lines if line and not line.startswith(NO_COMPLAINT)]
    return "; ".join(described[:LINES])
