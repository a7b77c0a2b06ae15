"""Whole ingests from local mirrors, in one script: extraction alone beside its floor, then seconds
and memory of a first reading, and of a second one that finds nothing changed.

All sources are read twice, each time in one process, into a
database of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tree_sitter import Tree

from benchmarks.arguments import parse_sources
from benchmarks.mirrors import python_files
from ingest.extract import MemoryTree, extract
from ingest.extract.repository import is_candidate
from ingest.extract.syntax import parse

ROOT = Path(__file__).resolve().parents[1]


def main(sources: list[str]) -> None:
    measure_extraction([Path(source) for source in sources])
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "CURATION_DATA": data}
        manage = [sys.executable, str(ROOT / "manage.py")]
        subprocess.run([*manage, "load_sources"], env=environment, check=True)
        for reading in ("first reading", "nothing changed"):
            began = time.monotonic()
            process = subprocess.Popen([*manage, "ingest", *sources, "--now"], env=environment)
            memory = Memory(process.pid)
            if process.wait():
                sys.exit(f"The {reading} failed.")
            print(f"{reading}: {time.monotonic() - began:.1f} s, {memory}\n")


def measure_extraction(sources: list[Path]) -> None:
    """Bytes of candidate source to standalone kernels, one core, beside parsing and walking."""
    size = floor = spent = 0.0
    units = 0
    for source in filter(lambda path: (path / "HEAD").exists(), sources):
        files = python_files(source)
        candidates = {path: data for path, data in files.items() if is_candidate(path, data)}
        size += sum(map(len, candidates.values())) / 1e6
        began = time.process_time()
        for path, data in candidates.items():
            walk(parse(path, data.decode("utf-8", "replace")).tree)
        floor += time.process_time() - began
        began = time.process_time()
        units += sum(1 for _ in extract(MemoryTree(files)))
        spent += time.process_time() - began
    if size:
        print(f"extraction: {units} kernels and problems of {size:.1f} MB, {size / spent:.2f} MB/s "
              f"a core; parsing and walking alone {size / floor:.2f} MB/s\n")  # fmt: skip


def walk(tree: Tree) -> None:
    cursor = tree.walk()
    while True:
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


class Memory:
    """The peaks of a process and of those that it starts, looked up while they run."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peaks: dict[str, int] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def __str__(self) -> str:
        return ", ".join(f"{name} {peak / 1024:.0f} MB" for name, peak in self._peaks.items())

    def _watch(self) -> None:
        while Path("/proc", str(self._pid)).exists():
            for pid in (self._pid, *_children(self._pid)):
                self._look(pid)
            time.sleep(0.05)

    def _look(self, pid: int) -> None:
        try:
            command = Path("/proc", str(pid), "cmdline").read_text().split("\0")
            status = Path("/proc", str(pid), "status").read_text()
        except OSError:
            return
        peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), None)
        name = "ingest" if pid == self._pid else next(iter(command[2:3]), "") or command[0]
        if peak:
            self._peaks[name] = max(self._peaks.get(name, 0), int(peak.split()[1]))


def _children(pid: int) -> Iterator[int]:
    try:
        yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except OSError:
        return


if __name__ == "__main__":
    main(parse_sources(__doc__, "a local repository or folder"))
