"""Triton up to 3.5 interprets kernels in its own way. Here they are launched as later ones are."""

from typing import Any

from triton.runtime import interpreter


def level() -> None:
    """Once, before any kernel is made: `run` is the class's, and every launch goes through it."""
    kind: Any = interpreter.InterpretedFunction
    if hasattr(kind, "run"):
        return
    begin = kind.__init__

    def made(self: Any, fn: Any, **named: Any) -> None:
        begin(self, fn, **named)
        # Each kernel's own; only the autotuner uses it.
        del self.run

    def run(self: Any, *args: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        if not warmup:
            interpreter.GridExecutor(self.rewrite(), self.arg_names, grid)(*args, **named)

    def launched(self: Any, grid: Any) -> Any:
        return lambda *args, **named: self.run(*args, grid=grid, warmup=False, **named)

    kind.__init__, kind.run, kind.__getitem__ = made, run, launched
