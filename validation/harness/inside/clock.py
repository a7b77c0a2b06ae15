"""The GPU's own clock around a call. It takes hold of all that it needs before any code of an
entry is there; each piece is C, and nobody can replace what it holds."""

import gc
import time
from collections.abc import Callable
from typing import Any

import torch

# Several times what an L2 holds, and at least this.
CACHES, LEAST = 4, 64 << 20
# The GPU is kept busy while the host prepares: its clock then measures the GPU, not the host.
AHEAD, HEAD_START, HEAD_START_MOST = 3, 200_000, 50_000_000
CYCLES_PER_NS = 2
# What comes later than the calibrated wait, in microseconds.
LATE = 30.0
WAKING = 50_000_000


class Clock:
    def __init__(self) -> None:
        inside: Any = torch._C
        event = inside._CudaEventBase
        self._record, self._elapsed = event.record, event.elapsed_time
        self._wait, self._sleep = inside._cuda_synchronize, inside._cuda_sleep
        self._zero, self._now = inside.TensorBase.zero_, time.perf_counter_ns
        self._modes = _modes()
        self._hold, self._release = gc.disable, gc.enable
        self._home = torch.cuda.current_stream()
        self._go_home = _home_goer(inside, self._home)
        self._marks = [event(enable_timing=True) for _ in range(3)]
        cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
        size = max(CACHES * cache, LEAST)
        self._flush = torch.empty(size, dtype=torch.uint8, device="cuda")
        self._cycles = HEAD_START * CYCLES_PER_NS
        self._usual_wait = sorted(self._measured(_nothing)[2] for _ in range(5))[2]

    def wake(self) -> None:
        """A GPU that had nothing to do runs slowly at first."""
        self._sleep(WAKING)
        self._wait()

    def get_ahead(self, call: Callable[[], Any]) -> Any:
        """Call it once, and from now on let the GPU wait as long as the host needs for it."""
        self._wait()
        started = self._now()
        answer = call()
        took = self._now() - started
        self._wait()
        ahead = min(max(AHEAD * took, HEAD_START), HEAD_START_MOST)
        self._cycles = CYCLES_PER_NS * ahead
        return answer

    def run(self, call: Callable[[], Any]) -> tuple[Any, float]:
        """The answer, and microseconds from when the GPU was free for it until all work ended,
        whatever stream it was on. With nothing of it in any cache."""
        answer, took, waited = self._measured(call)
        late = waited - self._usual_wait
        return answer, took + (late if late > LATE else 0.0)

    def _measured(self, call: Callable[[], Any]) -> tuple[Any, float, float]:
        """And how long after its end the host knew that all streams had nothing more to do."""
        began, ended, over = self._marks
        self._go_home()
        self._hold()
        try:
            self._zero(self._flush)
            self._sleep(self._cycles)
            self._record(began, self._home)
            answer = call()
            self._record(ended, self._home)
            self._wait()
            self._record(over, self._home)
            self._wait()
        finally:
            self._release()
        return answer, 1e3 * self._elapsed(began, ended), 1e3 * self._elapsed(ended, over)

    def left_behind(self) -> str:
        """Whether the code that ran left something that stands between torch and who calls it."""
        return _left(self._modes)


class HostClock:
    """Where there is no GPU: good enough to see everything else work, not for figures."""

    def __init__(self) -> None:
        self._now = time.perf_counter_ns
        self._modes = _modes()

    def wake(self) -> None:
        return

    def get_ahead(self, call: Callable[[], Any]) -> Any:
        return call()

    def run(self, call: Callable[[], Any]) -> tuple[Any, float]:
        began = self._now()
        answer = call()
        return answer, (self._now() - began) / 1e3

    def left_behind(self) -> str:
        return _left(self._modes)


def _modes() -> tuple[Callable[[], int], ...]:
    inside: Any = torch._C
    return inside._len_torch_function_stack, inside._len_torch_dispatch_stack


def _left(modes: tuple[Callable[[], int], ...]) -> str:
    return "leaves a mode of torch's on" if any(count() for count in modes) else ""


def _nothing() -> None:
    return None


def _home_goer(inside: Any, home: torch.cuda.Stream) -> Callable[[], None]:
    set_stream = inside._cuda_setStream
    place = {
        "stream_id": home.stream_id, "device_index": home.device_index,
        "device_type": home.device_type,
    }  # fmt: skip
    return lambda: set_stream(**place)
