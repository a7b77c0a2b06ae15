"""Watches a launcher while it is timed: what it does is counted, nothing is moved or hidden.

It costs the host some time and the GPU none.
"""

from collections.abc import Callable
from typing import Any

import torch

from validation.harness.inside.watch import Watch


class Lookout(Watch):
    def __init__(self, inputs: list[torch.Tensor]) -> None:
        super().__init__(pattern=0, veiled=False, broken=list)
        self.asides = 0
        self.veil.cover(inputs)

    def _allocated(self, answer: Any, *, filled: bool) -> Any:
        return self._known(answer)

    def launch(self, kernel: Any, run: Callable[..., Any], args: Any, named: Any) -> Any:
        self.launches[getattr(kernel.fn, "__name__", "?")] += 1
        self.asides += self._aside()
        self.paused = True
        try:
            return run(kernel, *args, **named)
        finally:
            self.veil.lower(launched=True)
            self.paused = False
