"""The storages that a launcher uses, by number, and tensors as windows of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from validation.harness.recorder.kept_memory import Extent, KeptMemory

Json = Any
Emit = Callable[..., None]

# Below it a whole number is no address of a process's memory.
LOWEST_ADDRESS = 1 << 20
# Larger tables hold no addresses.
TABLE_MOST = 1 << 20


class Storages:
    """Numbers storages as they come by. `emit` writes an instruction of the program; `memory` knows
    the storages of earlier calls, and `numbers` counts on from them."""

    def __init__(self, emit: Emit, numbers: Iterator[int], memory: KeptMemory) -> None:
        self._emit, self._numbers, self._memory = emit, numbers, memory
        self._by_start: dict[int, int] = {}
        # As long as a storage lives no other one has its address.
        self._held: list[tuple[Extent, torch.UntypedStorage]] = []
        self._extents: list[Extent] = []
        self._data: set[int] = set()

    def add(self, tensor: torch.Tensor) -> int:
        """Return a new number for the tensor's storage."""
        storage = tensor.untyped_storage()
        start, number = storage.data_ptr(), next(self._numbers)
        extent = start, start + storage.nbytes(), number
        self._know(extent)
        self._held.append((extent, storage))
        return number

    def _know(self, extent: Extent) -> None:
        self._by_start[extent[0]] = extent[2]
        self._extents.append(extent)

    def release(self) -> list[tuple[Extent, torch.UntypedStorage]]:
        """Return the storages of the call, and hold them no longer."""
        held, self._held = self._held, []
        return held

    def allocate(self, tensor: torch.Tensor) -> None:
        """Record that the launcher asked for the tensor's memory."""
        if size := tensor.untyped_storage().nbytes():
            self._emit(do="allocate", storage=self.add(tensor), bytes=size)

    def find(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return the number of the tensor's storage and the bytes that this one starts within it,
        or None. Storages may lie within others: `set_` and DLPack make such."""
        start = tensor.untyped_storage().data_ptr()
        if start in self._by_start:
            return self._by_start[start], 0
        return self._within(start)

    def _within(self, address: int) -> tuple[int, int] | None:
        for start, end, number in reversed(self._extents):
            if start <= address < end:
                return number, address - start
        return None

    def window(self, tensor: torch.Tensor) -> Json:
        """Return the tensor as a window. A storage that is not known yet becomes a constant."""
        dtype, shape, strides = name_of(tensor.dtype), list(tensor.shape), list(tensor.stride())
        if not tensor.numel():
            return [None, dtype, shape, strides, 0]
        number, start = self.find(tensor) or self._of_earlier_call(tensor) or self._new(tensor)
        return [number, dtype, shape, strides, tensor.storage_offset() + start // tensor.itemsize]

    def _new(self, tensor: torch.Tensor) -> tuple[int, int]:
        number = self.add(tensor)
        self.snapshot(tensor)
        return number, 0

    def _of_earlier_call(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return the place of memory that the launcher kept, with its content made once more."""
        history = self._memory.find(tensor.untyped_storage().data_ptr())
        if history is None:
            return None
        self._emit(do="earlier", instructions=history.instructions)
        for extent in history.extents:
            self._know(extent)
            self._data.add(extent[2])
        return self.find(tensor)

    def snapshot(self, tensor: torch.Tensor) -> None:
        """Record the present content of the tensor's storage as a constant."""
        number, _ = self.find(tensor) or (self.add(tensor), 0)
        storage = tensor.untyped_storage()
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        content = whole.cpu().numpy().tobytes()
        addresses = self._addresses(tensor, content)
        self._emit(do="constant", storage=number, blob=content, addresses=addresses)

    def _addresses(self, tensor: torch.Tensor, content: bytes) -> Json:
        """Return where the content holds addresses of known storages: a table of pointers."""
        if tensor.dtype not in (torch.int64, torch.uint64) or len(content) > TABLE_MOST:
            return []
        numbers = np.frombuffer(content[: len(content) // 8 * 8], dtype=np.int64).tolist()
        return [
            [8 * index, *place]
            for index, number in enumerate(numbers)
            if (place := self.address(number)) is not None
        ]

    def address(self, number: int) -> list[int] | None:
        """Return the storage and the offset that a whole number points to, or None."""
        place = self._within(number) if number >= LOWEST_ADDRESS else None
        return None if place is None else list(place)

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Return whether an input or a kernel had a part in the tensor's content."""
        place = self.find(tensor) if tensor.numel() else None
        return place is not None and place[0] in self._data

    def mark_data(self, tensor: torch.Tensor) -> None:
        place = self.find(tensor) if tensor.numel() else None
        if place is not None:
            self._data.add(place[0])


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
