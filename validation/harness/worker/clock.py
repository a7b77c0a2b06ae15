"""Time of a call on the GPU, by the GPU's own clock."""

import gc
import time
from collections.abc import Callable
from typing import Any

import torch

# Bytes written to flush the caches: a multiple of the L2 cache, and the least number.
CACHES, LEAST = 4, 64 << 20
# Delay of the GPU: multiple of the host's time, least and most ns. Else host time is measured too.
AHEAD, HEAD_START, HEAD_START_MOST = 3, 200_000, 50_000_000
CYCLES_PER_NS = 2
WAKING = 50_000_000


class Clock:
    def __init__(self) -> None:
        self._home = torch.cuda.current_stream()
        self._marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]  # type: ignore[no-untyped-call]
        cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
        size = max(CACHES * cache, LEAST)
        self._flush = torch.empty(size, dtype=torch.uint8, device="cuda")
        self._cycles = HEAD_START * CYCLES_PER_NS

    def wake(self) -> None:
        """Keep the GPU busy for a while, because an idle GPU has a low clock rate."""
        torch.cuda._sleep(WAKING)  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()

    def get_ahead(self, call: Callable[[], Any]) -> Any:
        """Run the call once, and delay the GPU in later runs by a multiple of its host time.

        Then the host has queued all work of a run before the GPU begins with it.
        """
        torch.cuda.synchronize()
        started = time.perf_counter_ns()
        answer = call()
        took = time.perf_counter_ns() - started
        torch.cuda.synchronize()
        ahead = min(max(AHEAD * took, HEAD_START), HEAD_START_MOST)
        self._cycles = CYCLES_PER_NS * ahead
        return answer

    def run(self, call: Callable[[], Any]) -> tuple[Any, float]:
        """Return the answer, and the microseconds of the work on the current stream.

        The time starts when the GPU has finished earlier work. The caches hold none of the inputs.
        Work on other streams counts: if the current stream does not wait for it, the replay fails.
        """
        began, ended = self._marks
        gc.disable()
        try:
            self._flush.zero_()
            torch.cuda._sleep(self._cycles)  # type: ignore[no-untyped-call]
            began.record(self._home)
            answer = call()
            ended.record(self._home)
            torch.cuda.synchronize()
        finally:
            gc.enable()
        return answer, 1e3 * began.elapsed_time(ended)


class HostClock:
    """Clock of the host, for tests without a GPU. Its times are not meaningful."""

    def wake(self) -> None:
        return

    def get_ahead(self, call: Callable[[], Any]) -> Any:
        return call()

    def run(self, call: Callable[[], Any]) -> tuple[Any, float]:
        began = time.perf_counter_ns()
        answer = call()
        return answer, (time.perf_counter_ns() - began) / 1e3
