"""Statistics of run times from a hostile process, and the shortest time that is possible."""

import math
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from validation.harness.judge.numbers import Unreadable

# Peaks of dense arithmetic in TFLOP/s, by the size in bytes of the narrowest number type.
PEAKS = {
    "A100": {1: 624.0, 2: 312.0, 4: 156.0, 8: 19.5},
    "H100": {1: 1979.0, 2: 989.0, 4: 495.0, 8: 67.0},
    "H200": {1: 1979.0, 2: 989.0, 4: 495.0, 8: 67.0},
}
# Divisor of the operations that torch counts for the reference: a causal mask saves half.
SPARED = 2.0
# Resolution of the clocks in microseconds.
RESOLUTION = 0.5
# The message mentions noise if half of the runs differ by more than this share.
NOISY = 0.1


@dataclass(frozen=True, slots=True)
class Times:
    """Median and quartiles of the run times on the GPU, in microseconds."""

    median_us: float
    low_us: float
    high_us: float
    runs: int

    @property
    def noise(self) -> float:
        return (self.high_us - self.low_us) / max(self.median_us, RESOLUTION)

    def __str__(self) -> str:
        return f"{self.median_us:.1f} µs ({self.low_us:.1f} to {self.high_us:.1f})"


@dataclass(frozen=True, slots=True)
class Gpu:
    """Properties of the GPU: 0 or empty if they are unknown."""

    name: str = ""
    gigabytes_per_second: float = 0.0
    cache_bytes: int = 0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Gpu":
        return cls(
            environment.get("gpu", ""),
            _positive(environment.get("memory_gb_s")),
            int(_positive(environment.get("l2_bytes"))),
        )

    def peak(self, narrowest: int) -> float:
        """Return the peak in TFLOP/s, or 0 if it is unknown."""
        found = [peaks for name, peaks in PEAKS.items() if name in self.name]
        return found[0].get(narrowest, 0.0) if found else 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """The least work: read inputs once, write outputs once, and do the reference's operations if
    torch can count them. `narrowest`: size in bytes of the narrowest number type."""

    read: int
    written: int
    flops: int = 0
    narrowest: int = 4


def judged(
    candidate: Times, eager: Times, compiled: Times | None, work: Work, gpu: Gpu
) -> tuple[dict[str, Any], str]:
    """Return the figures of the times, and a sentence. A time that is impossible has no speedup."""
    floor, impossible = _floor(candidate, (eager, compiled), work, gpu)

    def speedup_over(other: Times | None) -> float | None:
        if impossible or other is None:
            return None
        return other.median_us / max(candidate.median_us, RESOLUTION)

    speedup, speedup_compiled = speedup_over(eager), speedup_over(compiled)
    words = (
        f"impossible: {impossible}" if impossible else f"{speedup:.2f} times as fast as eager torch"
    )
    if speedup_compiled is not None:
        words += f", {speedup_compiled:.2f} times torch.compile"
    words += f". {candidate}; eager torch {eager}"
    words += f", torch.compile {compiled}" if compiled else ""
    noise = max(one.noise for one in (candidate, eager, compiled) if one)
    if noise > NOISY and not impossible:
        words += f"; half of the runs differ by {noise:.0%}"
    seconds, moved = candidate.median_us * 1e-6, work.read + work.written
    figures = {
        "candidate": asdict(candidate),
        "eager": asdict(eager),
        "compiled": asdict(compiled) if compiled else None,
        "speedup": speedup,
        "speedup_compiled": speedup_compiled,
        "bytes": moved,
        "gigabytes_per_second": moved / seconds / 1e9 if seconds else None,
        "flops": work.flops or None,
        "floor_us": floor,
        "impossible": impossible,
    }
    return figures, words


def _floor(
    candidate: Times, torch: tuple[Times, Times | None], work: Work, gpu: Gpu
) -> tuple[float, str]:
    """Return the least possible time in microseconds, and why the candidate's is impossible."""
    by_memory = memory_floor(work, gpu)
    peak = gpu.peak(work.narrowest)
    by_arithmetic = work.flops / (peak * 1e6) / SPARED if peak else 0.0
    if min(one.median_us for one in torch if one) + RESOLUTION < by_memory:
        # Torch also beats this bound, so the operation reads only a part of its inputs.
        by_memory = 0.0
    floor = max(by_memory, by_arithmetic)
    if candidate.median_us + RESOLUTION >= floor:
        return floor, ""
    what = (
        f"to move {work.read + work.written:,} bytes at {gpu.gigabytes_per_second:,.0f} GB/s"
        if by_memory >= by_arithmetic
        else f"for half of {work.flops:,} operations at {peak:,.0f} TFLOP/s"
    )
    return floor, f"{candidate.median_us:.1f} µs, where {what} takes {floor:.1f}"


def memory_floor(work: Work, gpu: Gpu) -> float:
    """Return the minimum time to move the data, in microseconds. The cache is cold when a run
    begins. When it ends, outputs may still be in the cache as far as they fit."""
    if not gpu.gigabytes_per_second:
        return 0.0
    written = max(0, work.written - gpu.cache_bytes)
    return (work.read + written) / (gpu.gigabytes_per_second * 1e3)


def times(given: Any, runs: int) -> Times:
    """Read the run times that a hostile process reports, or raise Unreadable."""
    if not isinstance(given, list) or len(given) != runs:
        raise Unreadable("not as many times as runs")
    if not all(isinstance(one, float | int) and math.isfinite(one) and one >= 0 for one in given):
        raise Unreadable("a time that is no number of microseconds")
    low, median, high = statistics.quantiles(given, n=4, method="inclusive")
    return Times(round(median, 3), round(low, 3), round(high, 3), runs)


def _positive(text: str | None) -> float:
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and value > 0 else 0.0
