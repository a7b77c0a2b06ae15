"""Equal parts of this machine's processors, what they are at, and what work of the processor alone
gains by more."""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

# Rounds of it in as many seconds as it is told.
ARITHMETIC = """
import sys, time
end, rounds = time.monotonic() + float(sys.argv[1]), 0
while time.monotonic() < end:
    rounds += 1
    sum(each * each % 7 for each in range(20_000))
print(rounds)
"""


def shares_of_processors(count: int, each: int = 0) -> list[list[int]]:
    """Return equal parts of whole cores, so that no two parts share a core.

    each: the number of processors of each part, of different cores first. 0 for all.
    """
    whole = cores_of_processors()
    if len(whole) < count:
        whole = [[cpu] for core in whole for cpu in core]
    size = len(whole) // count
    parts = [whole[number * size : (number + 1) * size] for number in range(count)]
    return [sorted(first_threads_first(part)[: each or None]) for part in parts]


def first_threads_first(cores: Sequence[Sequence[int]]) -> list[int]:
    return [cpu for nth in zip_longest(*cores) for cpu in nth if cpu is not None]


def cores_of_processors() -> list[list[int]]:
    """Return each core's threads. On a virtual machine that does not tell, each processor counts as
    a core."""
    there = Path("/sys/devices/system/cpu")
    cores: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = there / f"cpu{cpu}" / "topology"
        place = [topology / name for name in ("physical_package_id", "core_id")]
        told = tuple(file.read_text() for file in place if file.exists())
        cores[told or (str(cpu),)].append(cpu)
    return list(cores.values())


def gain_of_processors(parts: Sequence[Sequence[int]]) -> float:
    """Return the ratio of plain arithmetic that all parts do to that of the first part alone.

    It is roughly the gain of a program that keeps its processors busy.
    """
    return rounds([cpu for part in parts for cpu in part], 5) / rounds(parts[0], 5)


def rounds(cpus: Sequence[int], seconds: float) -> int:
    """Return the rounds of arithmetic of all processors together, with one process on each."""
    workers = [
        subprocess.Popen(
            ["taskset", "--cpu-list", str(cpu), sys.executable, "-c", ARITHMETIC, str(seconds)],
            stdout=subprocess.PIPE, text=True,
        )
        for cpu in cpus
    ]  # fmt: skip
    return sum(int(worker.communicate()[0]) for worker in workers)


def time_of_processors() -> dict[str, int]:
    """Since the machine began, in its ticks. `steal` is what the machine below gave to others."""
    named = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    first = Path("/proc/stat").read_text().partition("\n")[0].split()
    return dict(zip(named, map(int, first[1:]), strict=False))


def shares_since(before: dict[str, int]) -> dict[str, float]:
    """Return the shares of all processors' time since then."""
    spent = {name: ticks - before[name] for name, ticks in time_of_processors().items()}
    return {name: round(ticks / max(1, sum(spent.values())), 3) for name, ticks in spent.items()}
