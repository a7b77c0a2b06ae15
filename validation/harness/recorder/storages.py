"""Storages of a recording: their numbers, tensors as windows, and memory kept between calls.

A launcher may keep a table, a workspace or a lock that a kernel filled in an earlier call. Kernels
don't run while they are recorded. So a program that uses such memory begins with the instructions
that filled it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from validation.harness.worker.values import name_of

Json = Any
Emit = Callable[..., None]
Extent = tuple[int, int, int]
"""The start address, the end address and the number of a storage."""

# Smaller integers are never taken for addresses.
LOWEST_ADDRESS = 1 << 20
# Maximum size in bytes of a constant that is searched for addresses.
TABLE_MOST = 1 << 20


class Storages:
    """Storages of one call.

    emit: adds an instruction to the program.
    numbers: counter of storages, shared by the session.
    memory: storages of earlier calls.
    """

    def __init__(self, emit: Emit, numbers: Iterator[int], memory: "KeptMemory") -> None:
        self._emit, self._numbers, self._memory = emit, numbers, memory
        self._by_start: dict[int, int] = {}
        # Keep storages alive, so that no other storage gets the same address.
        self._held: list[tuple[Extent, torch.UntypedStorage]] = []
        self._extents: list[Extent] = []
        self.data: set[int] = set()
        """The storages whose content depends on an input or a kernel."""

    def add(self, tensor: torch.Tensor) -> int:
        """Assign a new number to the tensor's storage."""
        storage = tensor.untyped_storage()
        start, number = storage.data_ptr(), next(self._numbers)
        extent = start, start + storage.nbytes(), number
        self._register(extent)
        self._held.append((extent, storage))
        return number

    def _register(self, extent: Extent) -> None:
        self._by_start[extent[0]] = extent[2]
        self._extents.append(extent)

    def release(self) -> list[tuple[Extent, torch.UntypedStorage]]:
        """Return the storages of the call, and drop the references to them."""
        held, self._held = self._held, []
        return held

    def allocate(self, tensor: torch.Tensor) -> None:
        """Record the allocation of the tensor's memory."""
        if size := tensor.untyped_storage().nbytes():
            self._emit(do="allocate", storage=self.add(tensor), bytes=size)

    def find(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return the tensor's storage and the offset of its memory in that storage, or None.

        The offset is in bytes. `set_` and DLPack make storages that lie within other storages.
        """
        start = tensor.untyped_storage().data_ptr()
        if start in self._by_start:
            return self._by_start[start], 0
        return self._storage_at(start)

    def _storage_at(self, address: int) -> tuple[int, int] | None:
        for start, end, number in reversed(self._extents):
            if start <= address < end:
                return number, address - start
        return None

    def window(self, tensor: torch.Tensor) -> Json:
        """Return the tensor as a window. A storage without a number becomes a constant."""
        dtype, shape, strides = name_of(tensor.dtype), list(tensor.shape), list(tensor.stride())
        if not tensor.numel():
            return [None, dtype, shape, strides, 0]
        place = self.find(tensor) or self._find_kept(tensor)
        number, start = place or (self.snapshot(tensor), 0)
        return [number, dtype, shape, strides, tensor.storage_offset() + start // tensor.itemsize]

    def _find_kept(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return the position of memory kept from an earlier call, and record how it was filled."""
        history = self._memory.find(tensor.untyped_storage().data_ptr())
        if history is None:
            return None
        instructions, extents = history
        self._emit(do="earlier", instructions=instructions)
        for extent in extents:
            self._register(extent)
            self.data.add(extent[2])
        return self.find(tensor)

    def snapshot(self, tensor: torch.Tensor) -> int:
        """Record the content of the tensor's storage as a constant. Return the storage's number."""
        number, _ = self.find(tensor) or (self.add(tensor), 0)
        storage = tensor.untyped_storage()
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        content = whole.cpu().numpy().tobytes()
        addresses = self._addresses(tensor, content)
        self._emit(do="constant", storage=number, blob=content, addresses=addresses)
        return number

    def _addresses(self, tensor: torch.Tensor, content: bytes) -> Json:
        """Return addresses of known storages in the content, which may be a table of pointers."""
        if tensor.dtype not in (torch.int64, torch.uint64) or len(content) > TABLE_MOST:
            return []
        numbers = np.frombuffer(content[: len(content) // 8 * 8], dtype=np.int64).tolist()
        return [
            [8 * index, *place]
            for index, number in enumerate(numbers)
            if (place := self.address(number)) is not None
        ]

    def address(self, number: int) -> tuple[int, int] | None:
        """Return the storage and offset of a number if it is an address, otherwise None."""
        return self._storage_at(number) if number >= LOWEST_ADDRESS else None

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Return whether the tensor's content depends on an input or a kernel."""
        place = self.find(tensor) if tensor.numel() else None
        return place is not None and place[0] in self.data

    def mark_data(self, tensor: torch.Tensor) -> None:
        place = self.find(tensor) if tensor.numel() else None
        if place is not None:
            self.data.add(place[0])


@dataclass(frozen=True, slots=True)
class _Kept:
    alive: StorageWeakRef
    extent: Extent
    instructions: list[Json]
    inputs: set[int]


class KeptMemory:
    """Storages of earlier calls that are still alive. Their numbers are unique in a session."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._extents: dict[int, Extent] = {}

    def remember(
        self, storages: list[tuple[Extent, torch.UntypedStorage]], instructions: list[Json],
        inputs: set[int],
    ) -> None:  # fmt: skip
        """Keep weak references to the storages of a finished call, with the call's instructions."""
        known = {kept.extent[2] for kept in self._kept} | inputs
        for extent, storage in storages:
            self._extents[extent[2]] = extent
            if extent[2] not in known:
                alive = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
                self._kept.append(_Kept(alive, extent, instructions, inputs))

    def find(self, address: int) -> tuple[list[Json], list[Extent]] | None:
        """Return the instructions that fill the storage at an address, or None.

        The extents are those of the storages that the instructions use.
        """
        self._kept = [kept for kept in self._kept if not kept.alive.expired()]  # type: ignore[no-untyped-call]
        for kept in reversed(self._kept):
            start, end, _ = kept.extent
            if start <= address < end:
                return self._history(kept)
        return None

    def _history(self, kept: _Kept) -> tuple[list[Json], list[Extent]]:
        needed, history = {kept.extent[2]}, []
        for instruction in reversed(_without_inputs(kept.instructions, kept.inputs)):
            touched = storages_in(instruction)
            if touched & needed:
                needed |= touched
                history.append(instruction)
        extents = [self._extents[number] for number in sorted(needed & self._extents.keys())]
        return history[::-1], extents


def _without_inputs(instructions: list[Json], inputs: set[int]) -> list[Json]:
    """Return the instructions that don't depend on inputs.

    An instruction with an input is assumed to read initialized and to write other storages.
    If that is wrong, the launcher keeps a state that no replay can repeat, and the answers differ.
    """
    kept, filled, tainted = [], set[int](), set(inputs)
    for instruction in instructions:
        touched = storages_in(instruction)
        if touched & tainted:
            tainted |= touched - filled
            continue
        kept.append(instruction)
        if instruction["do"] != "allocate":
            filled |= touched
    return kept


def storages_in(part: Json, key: str = "") -> set[int]:
    """Return the storage numbers in an instruction. `key`: the field that contains `part`."""
    if key == "storage":
        return {part}
    if key in ("target", "source", "window", "base", "address"):
        return set() if part[0] is None else {part[0]}
    if key == "addresses":
        return {storage for _, storage, _ in part}
    if key == "reinterpreted":
        return storages_in(part[0], "window")
    parts: list[tuple[str, Json]] = []
    if isinstance(part, dict):
        parts = list(part.items())
    elif isinstance(part, list):
        parts = [("", each) for each in part]
    return set[int]().union(*(storages_in(value, name) for name, value in parts))
