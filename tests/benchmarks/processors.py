"""Equal parts of this machine's processors, what they are at, and what work of the processor alone
gains by more."""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

# Rounds of it in as many seconds as it is told.
ARITHMETIC = """
import sys, time
end, rounds = time.monotonic() + float(sys.argv[1]), 0
while time.monotonic() < end:
    rounds += 1
    sum(each * each % 7 for each in range(20_000))
print(rounds)
"""
# Of what two processors do that have nothing to do with one another.
TAKEN_FROM_ONE_ANOTHER = 0.85


def shares_of_processors(count: int) -> list[list[int]]:
    """Equal parts of whole cores: of two threads of one core, neither helps another's part."""
    if count == 1:
        return [sorted(os.sched_getaffinity(0))]
    whole = cores_of_processors()
    each = len(whole) // count
    if each == 0:
        whole, each = [[cpu] for core in whole for cpu in core], (os.cpu_count() or 1) // count
    return [
        sorted(cpu for core in whole[number * each : (number + 1) * each] for cpu in core)
        for number in range(count)
    ]


@cache
def cores_of_processors() -> list[list[int]]:
    """Each core's threads: as the system says, or, where a virtual machine keeps that to itself, as
    they are seen to be. To be asked first while nothing else runs."""
    there = Path("/sys/devices/system/cpu")
    cores: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = there / f"cpu{cpu}" / "topology"
        place = [topology / name for name in ("physical_package_id", "core_id")]
        cores[tuple(file.read_text() for file in place if file.exists())].append(cpu)
    told = list(cores.values())
    if any(len(core) > 1 for core in told):
        return told
    cpus = [cpu for core in told for cpu in core]
    return in_twos(cpus, threads_apart(cpus))


def in_twos(cpus: Sequence[int], apart: int) -> list[list[int]]:
    """Each with the one so many places on; each alone where one would be over, or `apart` is 0."""
    if not apart or len(cpus) % (2 * apart):
        return [[cpu] for cpu in cpus]
    firsts = [place for place in range(len(cpus)) if place // apart % 2 == 0]
    return [[cpus[place], cpus[place + apart]] for place in firsts]


def threads_apart(cpus: Sequence[int]) -> int:
    """How many places apart the two threads of a core are, by what they take from one another; 0
    where none takes anything. They are neighbours, or half of all apart; a bit more than a quarter
    away is somebody else's."""
    if len(cpus) < 8:
        return 0
    half, elsewhere = len(cpus) // 2, len(cpus) // 4 + 1
    seen: dict[int, list[int]] = defaultdict(list)
    for _ in range(3):
        for apart in (elsewhere, 1, half):
            seen[apart].append(rounds((cpus[0], cpus[apart]), 0.7))
    done = {apart: median(each) for apart, each in seen.items()}
    nearest = min((1, half), key=done.__getitem__)
    return nearest if done[nearest] < TAKEN_FROM_ONE_ANOTHER * done[elsewhere] else 0


def gain_of_processors(parts: Sequence[Sequence[int]]) -> float:
    """How much more plain arithmetic all parts do than the first does alone: what no program that
    keeps its processors busy can exceed."""
    return rounds([cpu for part in parts for cpu in part], 5) / rounds(parts[0], 5)


def rounds(cpus: Sequence[int], seconds: float) -> int:
    """Of arithmetic, all of them together, one process on each."""
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
    """What part of all processors' time since then went where."""
    spent = {name: ticks - before[name] for name, ticks in time_of_processors().items()}
    return {name: round(ticks / max(1, sum(spent.values())), 3) for name, ticks in spent.items()}
