"""Interpreter of Triton up to 3.5, changed to launch kernels as later versions do."""

from typing import Any

from triton.runtime import interpreter


def level() -> None:
    """Make `run` the class's, so that the recorder can replace it. Call it before any kernel."""
    kind: Any = interpreter.InterpretedFunction
    if hasattr(kind, "run"):
        return
    begin = kind.__init__

    def made(self: Any, fn: Any, **named: Any) -> None:
        begin(self, fn, **named)
        # The kernel's own attribute, which only the autotuner uses.
        del self.run

    def run(self: Any, *args: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        if not warmup:
            interpreter.GridExecutor(self.rewrite(), self.arg_names, grid)(*args, **named)

    def launched(self: Any, grid: Any) -> Any:
        return lambda *args, **named: self.run(*args, grid=grid, warmup=False, **named)

    kind.__init__, kind.run, kind.__getitem__ = made, run, launched
