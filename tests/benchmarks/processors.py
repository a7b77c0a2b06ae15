"""Equal parts of this machine's processors, what they are at, and what work of the processor alone
gains by more."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# Rounds of it in five seconds.
ARITHMETIC = """
import time
end, rounds = time.monotonic() + 5, 0
while time.monotonic() < end:
    rounds += 1
    sum(each * each % 7 for each in range(20_000))
print(rounds)
"""


def shares_of_processors(count: int) -> list[list[int]]:
    """Equal parts of whole cores: of two threads of one core, neither helps another's part."""
    there = Path("/sys/devices/system/cpu")
    cores: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = there / f"cpu{cpu}" / "topology"
        place = [topology / name for name in ("physical_package_id", "core_id")]
        cores[tuple(file.read_text() for file in place if file.exists())].append(cpu)
    whole, each = list(cores.values()), len(cores) // count
    if each == 0:
        whole, each = [[cpu] for core in whole for cpu in core], (os.cpu_count() or 1) // count
    return [
        sorted(cpu for core in whole[number * each : (number + 1) * each] for cpu in core)
        for number in range(count)
    ]


def gain_of_processors(count: int) -> float:
    """How much more plain arithmetic all parts do than one of them does alone: what no program
    that keeps its processors busy can exceed."""
    shares = shares_of_processors(count)
    done = [0, 0]
    for round_, parts in enumerate((shares[:1], shares)):
        workers = [
            subprocess.Popen(
                ["taskset", "--cpu-list", str(cpu), sys.executable, "-c", ARITHMETIC],
                stdout=subprocess.PIPE, text=True,
            )
            for part in parts for cpu in part
        ]  # fmt: skip
        done[round_] = sum(int(worker.communicate()[0]) for worker in workers)
    return done[1] / done[0]


def time_of_processors() -> dict[str, int]:
    """Since the machine began, in its ticks. `steal` is what the machine below gave to others."""
    named = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    first = Path("/proc/stat").read_text().partition("\n")[0].split()
    return dict(zip(named, map(int, first[1:]), strict=False))


def shares_since(before: dict[str, int]) -> dict[str, float]:
    """What part of all processors' time since then went where."""
    spent = {name: ticks - before[name] for name, ticks in time_of_processors().items()}
    return {name: round(ticks / max(1, sum(spent.values())), 3) for name, ticks in spent.items()}
