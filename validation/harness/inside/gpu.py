"""Preparation of a GPU for entries: a bound on memory, a warm cache, a delay."""

import ctypes
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from validation.sandbox import seal

# About 3 ms at 2 GHz: longer than any kernel of a check, short enough to be done often.
DELAY = 6_000_000
# CU_CTX_SCHED_BLOCKING_SYNC of the driver's interface.
BLOCKING_SYNC = 4
# Characters of the reason why it could not be used.
MOST = 1000

_seed: dict[str, bytes] = {}
# The parent's folder of caches. A child can't list it, so that it reaches no other entry's: their
# names are secrets.
caches = ""


class Unusable(Exception):
    """No kernel runs on the GPU; the sentence says why."""


def begin(order: dict[str, Any]) -> None:
    """Set a child's share of the memory and its cache of kernels, before an entry's code runs."""
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


def _wait_asleep() -> None:
    """Have waits for the GPU sleep instead of spin, so that compiling gets the processor. It holds
    for the context that is made next; a driver without the option spins."""
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return
    with suppress(OSError, AttributeError):
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuInit(0)
        driver.cuDevicePrimaryCtxSetFlags_v2(0, BLOCKING_SYNC)


def delay() -> None:
    """Keep the present stream busy, so that work that does not wait for it comes too early."""
    torch.cuda._sleep(DELAY)  # type: ignore[no-untyped-call]


def look(folder: str) -> int:
    """Fork a child of the parent that compiles and runs a kernel and describes the GPU."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            seal.unprotect()
            os.environ["TRITON_CACHE_DIR"] = str(_cache(folder))
            _told(folder).write_text("\n".join(_looked(folder)))
            status = 0
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is why
            _told(folder).write_text(f"{type(error).__name__}: {error}")
        finally:
            os._exit(status)
    return pid


def seen(pid: int, folder: str) -> dict[str, str]:
    """Return the description of the GPU. The parts that Triton builds once for every process are
    read back before an entry could write there, and handed to each child."""
    cache, told = _cache(folder), _told(folder)
    _, status = os.waitpid(pid, 0)
    if status:
        ended = f"its process ended with {os.waitstatus_to_exitcode(status)}"
        why = told.read_text()[:MOST].rstrip(".") if told.exists() else ended
        raise Unusable(f"No kernel runs on the GPU: {why}. Without one, ask for the interpreter.")
    for path in cache.rglob("*"):
        # Those that do not depend on a kernel.
        if (
            path.is_file()
            and "tiny" not in path.name
            and not any(other.name.startswith("tiny") for other in path.parent.iterdir())
        ):
            _seed[str(path.relative_to(cache))] = path.read_bytes()
    name, capability, driver, cuda, speed, cache_size = told.read_text().split("\n")
    return {
        "gpu": name, "capability": capability, "driver": driver, "cuda": cuda,
        "memory_gb_s": speed, "l2_bytes": cache_size,
    }  # fmt: skip


def _cache(folder: str) -> Path:
    return Path(folder) / "cache"


def _told(folder: str) -> Path:
    return Path(folder) / "gpu"


def _looked(folder: str) -> list[str]:
    import sys

    sys.path.insert(0, folder)
    import warm_kernel  # type: ignore[import-not-found]

    out = torch.empty(4, device="cuda")
    warm_kernel.tiny[(1,)](out, BLOCK=4)
    if out[:3].tolist() != [0.0, 2.0, 4.0]:
        raise RuntimeError("a small kernel computed something else")
    major, minor = torch.cuda.get_device_capability()
    cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
    return [
        torch.cuda.get_device_name(), f"{major}.{minor}", _driver(), str(torch.version.cuda),
        _memory_speed(), str(cache),
    ]  # fmt: skip


def _memory_speed() -> str:
    """Return the memory's peak in GB/s, or an empty text if it is not known."""
    from triton.runtime import driver

    try:
        said = driver.active.utils.get_device_properties(0)
        # Both edges of a clock in kHz, over a bus that is so many bits wide.
        return f"{2e-6 * said['mem_clock_rate'] * said['mem_bus_width'] / 8:.0f}"
    except (AttributeError, KeyError, TypeError):
        return ""


def _driver() -> str:
    try:
        return Path("/proc/driver/nvidia/version").read_text().split("  ")[1].strip()
    except (OSError, IndexError):
        pass
    import subprocess

    try:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=10).stdout.split()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        return ""


class Newcomer:
    """The role of a child that serves no entry yet."""

    def context(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[bytes]]:
        """Make the CUDA context ahead of need: while other processes make theirs it takes
        seconds."""
        _wait_asleep()
        torch.cuda.synchronize()
        return {}, []


class Health:
    """The role that tests whether the GPU still computes."""

    def __init__(self, order: dict[str, Any]) -> None:
        begin(order)

    def health(self, _: dict[str, Any], __: list[memoryview]) -> tuple[Any, list[bytes]]:
        with torch.no_grad():
            matrix = torch.ones(256, 256, device="cuda")
            right = bool((matrix @ matrix == 256).all())
            torch.cuda.synchronize()
        free, total = torch.cuda.mem_get_info()
        return {"right": right, "free": free, "total": total}, []
