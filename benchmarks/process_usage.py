"""Memory, processes and files that a run holds, and that it leaves behind."""

import os
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

RUNS = (b"validation.harness", b"measure_harness", b"manage.py")


class Memory:
    """Memory of the run and its fork servers, sampled every second."""

    def __init__(self) -> None:
        self.samples: list[dict[str, int]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(1.0):
            self.samples.append(self.now())

    def now(self) -> dict[str, int]:
        """In MiB. The warm parents are the two oldest that have torch in them."""
        tree = processes()
        ours = [pid for pid in tree if descends(pid, os.getpid(), tree)]
        large = sorted((tree[pid].started, resident(pid)) for pid in ours if resident(pid) > 100)
        return {
            "own_mib": resident(os.getpid()),
            "parents_mib": sum(size for _, size in large[:2]),
            "processes": len(ours),
        }


def traces() -> dict[str, set[str]]:
    """Processes of ours and files, as they are now."""
    tree = processes()
    return {
        "processes": {
            f"{pid} {tree[pid].name}" for pid in tree if descends(pid, os.getpid(), tree)
        },
        "orphans": {
            f"{pid} {tree[pid].name}"
            for pid in tree
            if owned_by_nobody(pid) and not in_another_run(pid, tree)
        },
        "files": {path.name for path in Path(tempfile.gettempdir()).iterdir()},
        "shared memory": {path.name for path in Path("/dev/shm").glob("*")},
    }


@dataclass(frozen=True, slots=True)
class Process:
    parent: int
    name: str
    started: int


def processes() -> dict[int, Process]:
    result = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if fields[0] != "Z":
            result[int(folder.name)] = Process(int(fields[1]), name, int(fields[19]))
    return result


def descends(pid: int, root: int, tree: dict[int, Process]) -> bool:
    while pid in tree and pid != root:
        pid = tree[pid].parent
        if pid == root:
            return True
    return False


def in_another_run(pid: int, tree: dict[int, Process]) -> bool:
    """Return whether a run that is still at work started it. A leftover process has no such
    ancestor."""
    while pid in tree:
        pid = tree[pid].parent
        if pid != os.getpid() and any(name in command_of(pid) for name in RUNS):
            return True
    return False


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def owned_by_nobody(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}").stat().st_uid == 65534
    except OSError:
        return False


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20
    except (OSError, IndexError):
        return 0


def gpu_memory() -> list[str]:
    """Name and memory in use of each GPU, as the driver says."""
    return of_gpus("name,memory.used")


def of_gpus(fields: str) -> list[str]:
    asked = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.strip().splitlines()
