"""What a run holds while it goes on, and what it leaves behind: memory, processes, files."""

import os
import subprocess
import tempfile
import threading
from pathlib import Path


class Memory:
    """What the run itself and its warm parents hold, looked at every second."""

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
        """In MiB. A warm parent is what leads a session of its own and was there first."""
        tree = processes()
        ours = [pid for pid in tree if descends(pid, os.getpid(), tree)]
        parents = [pid for pid in ours if "python" in tree[pid][1] and pid == group(pid)]
        sizes = [resident(pid) for pid in parents]
        return {
            "own_mib": resident(os.getpid()),
            "parents_mib": max(sizes, default=0),
            "processes": len(ours),
        }


def traces() -> dict[str, set[str]]:
    """Processes of ours and files, as they are now."""
    tree = processes()
    return {
        "processes": {f"{pid} {tree[pid][1]}" for pid in tree if descends(pid, os.getpid(), tree)},
        "orphans": {f"{pid} {name}" for pid, (up, name) in tree.items() if owned_by_nobody(pid)},
        "files": {path.name for path in Path(tempfile.gettempdir()).iterdir()},
        "shared memory": {path.name for path in Path("/dev/shm").glob("*")},
    }


def processes() -> dict[int, tuple[int, str]]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if rest.split()[0] != "Z":
            found[int(folder.name)] = (int(rest.split()[1]), name)
    return found


def descends(pid: int, root: int, tree: dict[int, tuple[int, str]]) -> bool:
    while pid in tree and pid != root:
        pid = tree[pid][0]
        if pid == root:
            return True
    return False


def owned_by_nobody(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}").stat().st_uid == 65534
    except OSError:
        return False


def group(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20
    except (OSError, IndexError):
        return 0


def gpu_memory() -> list[str]:
    """Name and memory in use of each GPU, as the driver says."""
    asked = ["nvidia-smi", "--query-gpu=name,memory.used", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.strip().splitlines()
