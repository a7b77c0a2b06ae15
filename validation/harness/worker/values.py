"""Tensors and plain values as JSON and bytes, and back. Storages travel whole, with their gaps."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch

from validation.harness.channel import Blob

Json = Any


class CannotTravel(Exception):
    """A value of a kind that has no place in an entry's inputs or outputs."""


class Packing:
    """Collects what a tree of values refers to. A storage that two tensors share travels once."""

    def __init__(self) -> None:
        self.blobs: list[Blob] = []
        self._storages: dict[int, int] = {}
        self._kept: list[Any] = []

    def inputs(self, value: Any) -> Json:
        """Return `value` with its tensors as views of whole storages."""
        return _tree(value, self._view)

    def plain(self, value: Any) -> Json:
        """Return `value` with its tensors as contiguous copies."""
        return _tree(value, self.tensor)

    def tensor(self, tensor: torch.Tensor) -> Json:
        """Copy the tensor's content: the entry may still hold the tensor and change it."""
        if type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
            raise CannotTravel(f"a {type(tensor).__name__}, where torch's own tensor is expected")
        self.blobs.append(as_bytes(tensor, copied=True))
        return {
            "tensor": len(self.blobs) - 1,
            "dtype": name_of(tensor.dtype),
            "shape": list(tensor.shape),
            "device": tensor.device.type,
        }

    def _view(self, tensor: torch.Tensor) -> Json:
        declared, tensor = tensor.requires_grad, tensor.detach()
        if tensor.layout is not torch.strided or tensor.is_quantized:
            raise CannotTravel(f"a {tensor.layout} tensor, where only plain ones are understood")
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._storages:
            self._kept.append(storage)
            self._storages[key] = len(self.blobs)
            whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
            self.blobs.append(as_bytes(whole))
        return {
            "storage": self._storages[key],
            "dtype": name_of(tensor.dtype),
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
            "gradient": declared,
        }


Materialize = Callable[[Json], torch.Tensor]


def unpack(tree: Json, tensor: Materialize) -> Any:
    """Return the value of a tree. `tensor` makes a tensor of its description."""
    if isinstance(tree, list):
        return [unpack(part, tensor) for part in tree]
    if not isinstance(tree, dict):
        return tree
    if "storage" in tree or "tensor" in tree:
        return tensor(tree)
    ((kind, inner),) = tree.items()
    match kind:
        case "tuple":
            return tuple(unpack(part, tensor) for part in inner)
        case "dict":
            return {name: unpack(part, tensor) for name, part in inner.items()}
        case "dtype":
            return getattr(torch, inner)
        case "complex":
            return complex(*inner)
    raise CannotTravel(f"a value of kind {kind}")


class Placing:
    """Makes tensors on the device. Tensors of one storage share it again."""

    def __init__(self, blobs: list[memoryview], device: torch.device) -> None:
        self.blobs, self.device = blobs, device
        self.storages: dict[int, torch.Tensor] = {}

    def __call__(self, tree: Any) -> torch.Tensor:
        place, blob = tree["storage"], self.blobs[tree["storage"]]
        if place not in self.storages:
            self.storages[place] = from_bytes(blob, torch.uint8, (len(blob),)).to(self.device)
        empty = torch.empty(0, dtype=getattr(torch, tree["dtype"]), device=self.device)
        storage = self.storages[place].untyped_storage()
        return empty.set_(storage, tree["offset"], tree["shape"], tree["stride"])


def plain_values(tree: Json) -> Any:
    """Return the value of a tree that holds no tensor: a case."""
    return unpack(tree, _refuse_tensor)


def no_tensors(value: Any) -> Json:
    """Return a case as JSON."""
    return _tree(value, _refuse_tensor)


def _refuse_tensor(_: Any) -> NoReturn:
    raise CannotTravel("a tensor, where CASES holds plain values")


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return [tensor for part in value for tensor in tensors_in(part)]
    return []


def rebuilt(
    value: Any,
    change: Callable[[torch.Tensor], torch.Tensor],
    plain: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """Return `value` with each tensor changed by `change`, and each other part by `plain`."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {name: rebuilt(part, change, plain) for name, part in value.items()}
    if isinstance(value, list | tuple):
        parts = [rebuilt(part, change, plain) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return plain(value)


def as_bytes(tensor: torch.Tensor, *, copied: bool = False) -> Blob:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().cpu()
    if copied and plain.data_ptr() == tensor.data_ptr():
        plain = plain.clone()
    if plain.numel() == 0:
        return b""
    # Torch calls any stride of a single element contiguous.
    flat = plain.reshape(-1).as_strided((plain.numel(),), (1,))
    view: memoryview = flat.view(torch.uint8).numpy().data
    return view


def from_bytes(blob: Blob, dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
    """Return a copy, so that writes to the tensor do not reach the parcel."""
    if len(blob) == 0:
        return torch.empty(list(shape), dtype=dtype)
    return torch.frombuffer(bytearray(blob), dtype=torch.uint8).view(dtype).reshape(list(shape))


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _tree(value: Any, tensor: Callable[[torch.Tensor], Json]) -> Json:
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.dtype):
        return {"dtype": name_of(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list):
        return [_tree(part, tensor) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [_tree(part, tensor) for part in value]}
    if isinstance(value, dict) and all(type(key) is str for key in value):
        return {"dict": {key: _tree(part, tensor) for key, part in value.items()}}
    raise CannotTravel(f"a {type(value).__name__}")
