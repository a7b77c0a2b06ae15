"""Programs as plain calls, in memory of the allocator's: for timing, and for compute-sanitizer."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.program_reader import read
from validation.harness.replayer.kernels import Kernels
from validation.harness.replayer.playing import Player, give_memory_to_kernels


class Played:
    """`programs` as `recordings.with_constants` gives them, with their constants among `blobs`."""

    def __init__(
        self, text: str, programs: Sequence[Any], blobs: Sequence[Blob], device: torch.device
    ) -> None:
        self._blobs, self._device = blobs, device
        give_memory_to_kernels(device)
        self._programs = [
            (program := read(one["program"]), Kernels(text, program.kernels), one["constants"])
            for one in programs
        ]

    def call(self, number: int, inputs: Sequence[torch.Tensor]) -> Callable[[], Any]:
        """Return a call of the launcher on these inputs. Each call plays the program again."""
        program, kernels, constants = self._programs[number]

        def play() -> Any:
            player = Player(
                program, kernels, self._blobs[constants:], inputs, self._device,
                self._memory, lambda _: nullcontext(),
            )  # fmt: skip
            return player.run()

        return play

    def _memory(self, size: int) -> torch.Tensor:
        return torch.empty(size, dtype=torch.uint8, device=self._device)
