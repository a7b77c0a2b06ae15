"""Recorded programs with their kernels, as functions for timing and compute-sanitizer."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import torch
import triton

from validation.harness.pool.channel import Blob
from validation.harness.program_reader import read
from validation.harness.replayer.player import Player, PreparedProgram
from validation.harness.replayer.text_kernels import TextKernels


class TextPrograms:
    """Programs of one text. Each is parsed when it is first used.

    programs, blobs: as `recordings.with_constants` returns them.
    """

    def __init__(
        self, text: str, programs: Sequence[Any], blobs: Sequence[Blob], device: torch.device
    ) -> None:
        self._text, self._programs, self._blobs, self._device = text, programs, blobs, device
        self._prepared: dict[int, PreparedProgram] = {}
        if device.type == "cuda" and hasattr(triton, "set_allocator"):
            # Kernels with tensor descriptors need a workspace from the host.
            triton.set_allocator(
                lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device)
            )

    def __getitem__(self, number: int) -> PreparedProgram:
        if number not in self._prepared:
            given = self._programs[number]
            program = read(given["program"])
            kernels = TextKernels(self._text, program.kernels)
            self._prepared[number] = PreparedProgram(
                program, kernels, self._blobs[given["constants"] :]
            )
        return self._prepared[number]

    def call(self, number: int, inputs: Sequence[torch.Tensor]) -> Callable[[], Any]:
        """Return a function that plays a program on these inputs, in torch's own memory."""
        prepared = self[number]
        return lambda: Player(
            prepared, inputs, self._device, self._memory, lambda _: nullcontext()
        ).run()

    def _memory(self, size: int) -> torch.Tensor:
        return torch.empty(size, dtype=torch.uint8, device=self._device)
