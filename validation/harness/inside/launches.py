"""Where Triton starts a kernel, on a GPU or in its interpreter: one place in each."""

from typing import Any

from triton.runtime import interpreter, jit

from validation.harness.inside.watch import Watch

_present: list[Watch | None] = [None]
_nested = [0]


def watch_launches(watch: Watch | None) -> None:
    """From now on launches go through `watch`; None: as if nobody looked."""
    _present[0] = watch


def install() -> None:
    """Once, in a process that is about to run a candidate."""
    for kind in (jit.JITFunction, interpreter.InterpretedFunction):
        _wrap(kind)


def _wrap(kind: Any) -> None:
    original = kind.run

    def run(self: Any, *args: Any, warmup: bool = False, **named: Any) -> Any:
        watch = _present[0]
        if watch is None or warmup or _nested[0]:
            return original(self, *args, warmup=warmup, **named)
        _nested[0] += 1
        try:
            return watch.launch(self, original, args, {**named, "warmup": warmup})
        finally:
            _nested[0] -= 1

    kind.run = run
