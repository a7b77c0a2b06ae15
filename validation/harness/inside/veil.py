"""Data that only Triton kernels see.

Between launches every tensor that holds data holds a decoy instead, NaN or zero, and the truth lies
elsewhere: whatever the launcher computes by itself (through torch, NumPy, ctypes, in a thread of
its own) it computes on decoys. So nothing needs to be forbidden, and what slips past the tracing of
torch's operations makes the answer wrong rather than right.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

# Taken hold of before anybody can put something else there, which would be handed the truth or
# could say that there is none.
CLONE, COPY, FILL = torch.Tensor.clone, torch.Tensor.copy_, torch.Tensor.fill_
STORAGE = torch._C.TensorBase.untyped_storage
_OF_STORAGE: Any = torch._C.StorageBase
PLACE, BYTES = _OF_STORAGE.data_ptr, _OF_STORAGE.nbytes


@dataclass(slots=True)
class Cloth:
    visible: torch.Tensor
    decoy: int
    truth: torch.Tensor | None = None

    def hide(self) -> None:
        if self.truth is None:
            self.truth = CLONE(self.visible)
            FILL(self.visible, self.decoy)

    def reveal(self) -> None:
        if self.truth is not None:
            COPY(self.visible, self.truth)
            self.truth = None


class Veil:
    """Knows each storage by where it lies, and keeps it alive so that this stays true.

    A thread of the entry's may make more of them at any moment: what is gone through is a copy.
    """

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self._cloths: dict[int, Cloth] = {}
        self._data: set[int] = set()

    def know(self, tensor: torch.Tensor) -> None:
        """Take note of a tensor's storage."""
        if tensor.is_meta:
            return
        storage = STORAGE(tensor)
        place, size = PLACE(storage), BYTES(storage)
        known = self._cloths.get(place)
        if not place or not size or (known and known.visible.numel() >= size):
            return
        if known:
            # There is more of it than was known.
            known.reveal()
        # The launcher may be in that mode, and what is made there can't be changed outside.
        with torch.inference_mode(False):
            visible = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        decoy = 0xFF if tensor.is_floating_point() or tensor.is_complex() else 0
        self._cloths[place] = Cloth(visible, decoy)
        if known and self.on and place in self._data:
            self._cloths[place].hide()

    def knows(self, tensor: torch.Tensor) -> bool:
        return PLACE(STORAGE(tensor)) in self._cloths

    def extents(self) -> Iterator[tuple[int, int]]:
        """Where each storage starts and ends."""
        for place, cloth in {**self._cloths}.items():
            yield place, place + cloth.visible.numel()

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Whether what is in there came from the inputs, as far as is known."""
        return PLACE(STORAGE(tensor)) in self._data

    def cover(self, tensors: Iterable[torch.Tensor]) -> None:
        """These hold data from now on."""
        for tensor in tensors:
            self.know(tensor)
            place = PLACE(STORAGE(tensor))
            if place in self._cloths:
                self._data.add(place)
                if self.on:
                    self._cloths[place].hide()

    def lift(self, tensors: Iterable[torch.Tensor] | None = None) -> None:
        """The truth about these, or about everything, until it is lowered."""
        places = self._data if tensors is None else {PLACE(STORAGE(tensor)) for tensor in tensors}
        for place in places & self._data:
            self._cloths[place].reveal()

    def lower(self, *, launched: bool = False) -> None:
        """Everything hidden again. A kernel may have written to anything."""
        if launched:
            self._data.update(self._cloths)
        failed: Exception | None = None
        for place in (*self._data,) if self.on else ():
            try:
                self._cloths[place].hide()
            except Exception as error:  # noqa: BLE001 - raised when nothing lies open
                FILL(self._cloths[place].visible, self._cloths[place].decoy)
                failed = error
        if failed:
            raise failed

    def drop(self) -> None:
        """The truth in its place, for good."""
        for cloth in (*self._cloths.values(),):
            cloth.reveal()
        self.on = False
