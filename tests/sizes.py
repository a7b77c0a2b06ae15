"""Lines of the product by room, and the ceilings that they may not grow above.

    python -m tests.sizes

prints the table. A file counts for the room with the longest folder that contains it. Ceilings are
in `sizes.toml`: lower one when its room has become smaller.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CEILINGS = Path(__file__).with_name("sizes.toml")
PACKAGES = ("curation", "ingest", "validation", "static")
# Generated code and hand-written data.
WITHOUT = ("migrations", "validation/pairs/library")


@dataclass(frozen=True, slots=True)
class Room:
    """Folders whose Python is counted together, or all files with a suffix (`*.js`)."""

    name: str
    lines: int
    ceiling: int


def rooms() -> list[Room]:
    ceilings: dict[str, int] = tomllib.loads(CEILINGS.read_text())
    lines = dict.fromkeys(ceilings, 0)
    room_of = {folder: name for name in ceilings for folder in name.split()}
    for path in files():
        relative = path.relative_to(ROOT).as_posix()
        inside = [folder for folder in room_of if relative.startswith(f"{folder}/")]
        room = max(inside, key=len) if path.suffix == ".py" else f"*{path.suffix}"
        lines[room_of[room]] += len(path.read_bytes().splitlines())
    return [Room(name, lines[name], ceiling) for name, ceiling in ceilings.items()]


def files() -> Iterator[Path]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            relative = path.relative_to(ROOT).as_posix()
            if path.suffix in (".py", ".j2", ".toml", ".js") and not any(
                part in relative for part in WITHOUT
            ):
                yield path


def table() -> str:
    rows = [(room.name, f"{room.lines:,}", f"{room.ceiling:,}") for room in rooms()]
    python = sum(room.lines for room in rooms() if not room.name.startswith("*"))
    rows.append(("all Python", f"{python:,}", ""))
    width = max(len(name) for name, *_ in rows)
    return "".join(f"{name:{width}} {lines:>8} {ceiling:>8}\n" for name, lines, ceiling in rows)


if __name__ == "__main__":
    sys.stdout.write(table())
