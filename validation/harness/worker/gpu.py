"""Preparation of a GPU for entries: memory limit, compile cache, and delays."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from validation.harness.sandbox import seal

# Cycles of a delay, about 3 ms: longer than any kernel of a check, and short enough to repeat.
DELAY = 6_000_000
# The driver's CU_CTX_SCHED_BLOCKING_SYNC.
BLOCKING_SYNC = 4
# Maximum number of characters of the reason why the GPU can't be used.
MOST = 1000

# Bytes of unused GPU memory that a process may keep in its allocator.
KEPT = 256 << 20

# Files that Triton builds once for every process, by path in a cache. They are copied to children.
_seed: dict[str, bytes] = {}
# Folder of all compile caches. Attack: an entry looks for another entry's cache. Defense: a child
# can't list this folder, and the names of caches are secret.
caches = ""


class Unusable(Exception):
    """No kernel can run on the GPU; the message says why."""


def begin(order: dict[str, Any]) -> None:
    """Set a child's GPU memory limit and its compile cache, before an entry's code runs."""
    if order.get("device") != "cuda":
        return
    _wait_asleep()
    torch.cuda.set_per_process_memory_fraction(order["gpu_memory"])
    torch.cuda.empty_cache()
    own = Path(tempfile.gettempdir()) / "triton"
    cache = Path(caches, order["cache"]) if "cache" in order else own
    if not cache.exists():
        for name, content in _seed.items():
            path = cache / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755)
    os.environ["TRITON_CACHE_DIR"] = str(cache)


def give_back() -> None:
    """Return unused GPU memory above KEPT to the driver, because other processes need it."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return
    if torch.cuda.memory_reserved() - torch.cuda.memory_allocated() > KEPT:
        torch.cuda.empty_cache()


def _wait_asleep() -> None:
    """Make waits for the GPU sleep instead of spin, so that compiling gets the processor. This
    affects the next CUDA context; a driver without the option spins."""
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return
    with suppress(OSError, AttributeError):
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuInit(0)
        driver.cuDevicePrimaryCtxSetFlags_v2(0, BLOCKING_SYNC)


def delay() -> None:
    """Keep the current stream busy, so that work which fails to wait for it runs too early."""
    torch.cuda._sleep(DELAY)  # type: ignore[no-untyped-call]


def look(folder: str) -> int:
    """Fork a child that compiles and runs a kernel, and describes the GPU. Return its PID."""
    pid = os.fork()
    if not pid:
        try:
            try:
                seal.unprotect()
                os.environ["TRITON_CACHE_DIR"] = f"{folder}/cache"
                description = _description(folder)
            except BaseException as error:  # noqa: BLE001 - any error is the reason
                description = {"failed": f"{type(error).__name__}: {error}"}
            Path(folder, "gpu").write_text(json.dumps(description))
        finally:
            os._exit(0)
    return pid


def seen(pid: int, folder: str) -> dict[str, str]:
    """Return the child's description of the GPU. Store the files that Triton builds once, before an
    entry could forge them; every child gets copies."""
    _, status = os.waitpid(pid, 0)
    description = {"failed": f"its process ended with {os.waitstatus_to_exitcode(status)}"}
    if (file := Path(folder, "gpu")).exists():
        description = json.loads(file.read_text())
    if "failed" in description:
        why = description["failed"][:MOST].rstrip(".")
        raise Unusable(f"No kernel runs on the GPU: {why}. Without one, ask for the interpreter.")
    cache = Path(folder, "cache")
    for path in cache.rglob("*"):
        # Skip folders with this kernel's own files, which other kernels don't need.
        if path.is_file() and not any("tiny" in other.name for other in path.parent.iterdir()):
            _seed[str(path.relative_to(cache))] = path.read_bytes()
    return description


def _description(folder: str) -> dict[str, str]:
    """Run a small kernel, and return the GPU's properties."""
    sys.path.insert(0, folder)
    import warm_kernel  # type: ignore[import-not-found]

    out = torch.empty(4, device="cuda")
    warm_kernel.tiny[(1,)](out, BLOCK=4)
    if out[:3].tolist() != [0.0, 2.0, 4.0]:
        raise RuntimeError("a small kernel computed something else")
    major, minor = torch.cuda.get_device_capability()
    cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
    return {
        "gpu": torch.cuda.get_device_name(), "capability": f"{major}.{minor}",
        "driver": _driver(), "cuda": str(torch.version.cuda),
        "memory_bytes": str(torch.cuda.mem_get_info()[1]), "memory_gb_s": _memory_speed(),
        "l2_bytes": str(cache),
    }  # fmt: skip


def _memory_speed() -> str:
    """Return the memory's peak speed in GB/s, or an empty text if unknown."""
    from triton.runtime import driver

    try:
        properties = driver.active.utils.get_device_properties(0)
        # Two transfers a clock cycle. The rate is in kHz, the bus width in bits.
        return f"{2e-6 * properties['mem_clock_rate'] * properties['mem_bus_width'] / 8:.0f}"
    except (AttributeError, KeyError, TypeError):
        return ""


def _driver() -> str:
    try:
        return Path("/proc/driver/nvidia/version").read_text().split("  ")[1].strip()
    except (OSError, IndexError):
        pass
    try:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=10).stdout.split()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        return ""


class GpuHealth:
    """Worker role that creates the CUDA context, and tests whether the GPU still works."""

    def __init__(self, order: dict[str, Any]) -> None:
        begin(order)

    def context(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[bytes]]:
        """Create the CUDA context in advance, as this takes seconds while other processes create
        theirs."""
        _wait_asleep()
        torch.cuda.synchronize()
        return {}, []

    def health(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[bytes]]:
        with torch.no_grad():
            matrix = torch.ones(256, 256, device="cuda")
            right = bool((matrix @ matrix == 256).all())
            torch.cuda.synchronize()
        return {"right": right}, []
