"""Memory that a launcher keeps between calls: a table, a workspace, a lock.

A kernel that filled it ran in an earlier call, and kernels don't run while they are recorded. So a
program that uses such memory begins with the instructions that made its content.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

Json = Any
Extent = tuple[int, int, int]
"""The start, the end and the number of a storage."""


@dataclass(frozen=True, slots=True)
class _Kept:
    alive: StorageWeakRef
    extent: Extent
    made_by: "list[Json]"
    inputs: frozenset[int]


@dataclass(frozen=True, slots=True)
class History:
    """Instructions of earlier calls that fill a kept storage, and the storages that they use."""

    instructions: list[Json]
    extents: list[Extent]


class KeptMemory:
    """Storages are numbered throughout a session, so instructions of earlier calls stay valid."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._extents: dict[int, Extent] = {}

    def remember(
        self, storages: list[tuple[Extent, torch.UntypedStorage]], instructions: list[Json],
        inputs: frozenset[int],
    ) -> None:  # fmt: skip
        """Note the storages of a call that is over. Those that nothing holds are forgotten."""
        known = {one.extent[2] for one in self._kept}
        self._extents.update((extent[2], extent) for extent, _ in storages)
        self._kept += [
            _Kept(StorageWeakRef(storage), extent, instructions, inputs)  # type: ignore[no-untyped-call]
            for extent, storage in storages
            if extent[2] not in known and extent[2] not in inputs
        ]

    def find(self, address: int) -> History | None:
        """Return what fills the kept storage at this address, or None if there is none."""
        self._kept = [one for one in self._kept if not one.alive.expired()]  # type: ignore[no-untyped-call]
        for one in reversed(self._kept):
            start, end, number = one.extent
            if start <= address < end:
                return self._history(one, number)
        return None

    def _history(self, kept: _Kept, number: int) -> History:
        needed, instructions = {number}, []
        for instruction in reversed(_without_inputs(kept.made_by, kept.inputs)):
            touched = storages_in(instruction)
            if touched & needed:
                needed |= touched
                instructions.append(instruction)
        extents = [self._extents[one] for one in sorted(needed) if one in self._extents]
        return History(instructions[::-1], extents)


def _without_inputs(instructions: list[Json], inputs: frozenset[int]) -> list[Json]:
    """Return the instructions that no input had a part in.

    One that touches an input is taken to fill what was empty, and to read what was not. Where that
    is wrong, the launcher keeps a state that no replay can repeat, and the answers differ.
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


def storages_in(part: Json) -> set[int]:
    """Return the numbers of the storages that an instruction refers to."""
    found: set[int] = set()
    if isinstance(part, list):
        for each in part:
            found |= storages_in(each)
    elif isinstance(part, dict):
        for key, value in part.items():
            match key:
                case "storage":
                    found.add(value)
                case "target" | "source" | "window" | "base":
                    found |= _of_window(value)
                case "address" | "reinterpreted":
                    found |= _of_window(value if key == "address" else value[0])
                case "addresses":
                    found |= {place[1] for place in value}
                case _:
                    found |= storages_in(value)
    return found


def _of_window(window: Json) -> set[int]:
    return set() if window[0] is None else {window[0]}
