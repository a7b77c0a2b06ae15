"""Data that only Triton kernels see.

Between launches every tensor that holds data holds a decoy instead, NaN or zero, and the truth lies
elsewhere: whatever the launcher computes by itself (through torch, NumPy, ctypes, in a thread of
its own) it computes on decoys. So nothing needs to be forbidden, and what slips past the tracing of
torch's operations makes the answer wrong rather than right.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

# Taken hold of before anybody can put something else there, which would be handed the truth.
CLONE, COPY, FILL = torch.Tensor.clone, torch.Tensor.copy_, torch.Tensor.fill_


@dataclass(slots=True)
class Cloth:
    visible: torch.Tensor
    decoy: int
    truth: torch.Tensor | None = None

    def hide(self) -> None:
        self.truth = CLONE(self.visible)
        FILL(self.visible, self.decoy)

    def reveal(self) -> None:
        if self.truth is not None:
            COPY(self.visible, self.truth)
            self.truth = None


class Veil:
    """Knows each storage by where it lies, and keeps it alive so that this stays true."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self._cloths: dict[int, Cloth] = {}
        self._data: set[int] = set()

    def know(self, tensor: torch.Tensor) -> None:
        """Take note of a tensor's storage."""
        storage = tensor.untyped_storage()
        place = storage.data_ptr()
        if place and storage.nbytes() and place not in self._cloths:
            visible = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
            decoy = 0xFF if tensor.is_floating_point() or tensor.is_complex() else 0
            self._cloths[place] = Cloth(visible, decoy)

    def holds_data(self, tensor: torch.Tensor) -> bool:
        """Whether what is in there came from the inputs, as far as is known."""
        return tensor.untyped_storage().data_ptr() in self._data

    def cover(self, tensors: list[torch.Tensor]) -> None:
        """These hold data from now on."""
        for tensor in tensors:
            self.know(tensor)
            place = tensor.untyped_storage().data_ptr()
            if place in self._cloths:
                self._data.add(place)
                if self.on and self._cloths[place].truth is None:
                    self._cloths[place].hide()

    @contextmanager
    def lifted(self, tensors: list[torch.Tensor] | None = None) -> Iterator[None]:
        """The truth about these, or about everything; hidden again afterwards."""
        places = (
            list(self._cloths)
            if tensors is None
            else [tensor.untyped_storage().data_ptr() for tensor in tensors]
        )
        cloths = [self._cloths[place] for place in places if place in self._data]
        for cloth in cloths:
            cloth.reveal()
        try:
            yield
        finally:
            if tensors is None:
                # A kernel may have written to anything.
                self._data.update(self._cloths)
                cloths = list(self._cloths.values())
            if self.on:
                for cloth in cloths:
                    if cloth.truth is None:
                        cloth.hide()

    @contextmanager
    def down(self) -> Iterator[None]:
        """Everything hidden, for somebody's code that runs while it is lifted."""
        cloths = [self._cloths[place] for place in self._data]
        shown = [cloth for cloth in cloths if self.on and cloth.truth is None]
        for cloth in shown:
            cloth.hide()
        try:
            yield
        finally:
            for cloth in shown:
                cloth.reveal()

    def drop(self) -> None:
        """The truth in its place, for good."""
        for cloth in self._cloths.values():
            cloth.reveal()
        self.on = False
