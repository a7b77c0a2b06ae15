"""Tensors and other values as JSON and bytes, and back. Storages are copied with their gaps.

A JSON object is a tensor's description, or has one key, the kind of the value. Dictionaries are
lists of pairs, so that an entry's key can't be mistaken for a kind.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import torch

from validation.harness.pool.channel import Blob

Json = Any


class CannotTravel(Exception):
    """A value can't be serialized. Inputs and outputs of an entry may not contain its kind."""


class Packing:
    """Serializer of values that collects their storages in `blobs`, shared storages once."""

    def __init__(self) -> None:
        self.blobs: list[Blob] = []
        self._storages: dict[int, int] = {}
        self._kept: list[Any] = []

    def inputs(self, value: Any) -> Json:
        """Return `value` as JSON, with tensors as views of complete storages."""
        return _tree(value, self._view, records=True)

    def plain(self, value: Any) -> Json:
        """Return `value` as JSON, with tensors as contiguous copies."""
        return _tree(value, self.tensor)

    def tensor(self, tensor: torch.Tensor) -> Json:
        """Describe a copy of the tensor, as the entry may still hold the tensor and change it."""
        if type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
            raise CannotTravel(f"a {type(tensor).__name__}, where torch's own tensor is expected")
        self.blobs.append(as_bytes(tensor, copied=True))
        return {
            "tensor": len(self.blobs) - 1,
            "dtype": name_of(tensor.dtype),
            "shape": list(tensor.shape),
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


def unpack(
    tree: Json, tensor: Materialize, *, device: torch.device | None = None,
    module: ModuleType | None = None,
) -> Any:  # fmt: skip
    """Return the value that a JSON tree describes.

    tensor: makes a tensor from its description.
    device: replaces the device on which inputs are made.
    module: the entry's text, which defines the classes of records.
    """

    def value(tree: Json) -> Any:
        if isinstance(tree, list):
            return [value(part) for part in tree]
        if not isinstance(tree, dict):
            return tree
        if "storage" in tree or "tensor" in tree:
            return tensor(tree)
        ((kind, inner),) = tree.items()
        match kind:
            case "tuple":
                return tuple(map(value, inner))
            case "dict":
                return {value(key): value(part) for key, part in inner}
            case "record":
                return _record(inner["class"], inner["of_tuple"], value(inner["fields"]), module)
            case "dtype":
                return getattr(torch, inner)
            case "device":
                return device or torch.device("cpu")
            case "complex":
                return complex(*inner)
        raise CannotTravel(f"a value of kind {kind}")

    return value(tree)


def _record(name: str, of_tuple: bool, values: dict[str, Any], module: ModuleType | None) -> Any:
    """Return a record. Use the module's class of this name if it has these fields."""
    kind: Any = getattr(module, name, None)
    if _field_names(kind) != tuple(values) or issubclass(kind, tuple) is not of_tuple:
        kind = namedtuple(name, tuple(values)) if of_tuple else SimpleNamespace
    if of_tuple:
        return kind._make(values.values())
    made = kind.__new__(kind)
    for field, value in values.items():
        # A frozen dataclass allows no other way to set fields.
        object.__setattr__(made, field, value)
    return made


def _field_names(kind: Any) -> tuple[str, ...] | None:
    """Return the field names of a dataclass or named tuple class, or None for any other value."""
    if not isinstance(kind, type):
        return None
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass, named tuple or namespace, or None for any other value."""
    if isinstance(value, SimpleNamespace):
        return vars(value)
    names = _field_names(type(value))
    return None if names is None else {name: getattr(value, name) for name in names}


def call(function: Callable[..., Any], arguments: Any) -> Any:
    """Call the function with a tuple of arguments, or with a dictionary of them by name."""
    if isinstance(arguments, dict):
        return function(**arguments)
    return function(*arguments)


class Placing:
    """Creates tensors on the device. Tensors that shared a storage share it again."""

    def __init__(self, blobs: Sequence[Blob] | Mapping[int, Blob], device: torch.device) -> None:
        self.blobs, self.device = blobs, device
        self.storages: dict[int, torch.Tensor] = {}

    def arguments(self, tree: Json, module: ModuleType | None = None) -> Any:
        """Return the arguments of a call. `module`: the text whose function is called."""
        return unpack(tree, self._tensor, device=self.device, module=module)

    def _tensor(self, tree: Any) -> torch.Tensor:
        place, blob = tree["storage"], self.blobs[tree["storage"]]
        if place not in self.storages:
            self.storages[place] = from_bytes(blob, torch.uint8, (len(blob),)).to(self.device)
        empty = torch.empty(0, dtype=getattr(torch, tree["dtype"]), device=self.device)
        storage = self.storages[place].untyped_storage()
        return empty.set_(storage, tree["offset"], tree["shape"], tree["stride"])


def plain_case(case: dict[str, Json]) -> dict[str, Any]:
    """Return the case that JSON from `no_tensors` describes."""
    return {name: unpack(part, _refuse_tensor) for name, part in case.items()}


def no_tensors(case: dict[str, Any]) -> dict[str, Json]:
    """Return a case as JSON. It may contain no tensors."""
    return {name: _tree(value, _refuse_tensor) for name, value in case.items()}


def _refuse_tensor(_: Any) -> NoReturn:
    raise CannotTravel("a tensor, where CASES holds plain values")


def state(arguments: Any) -> Json:
    """Return what a call may change in the arguments, except for the content of tensors."""

    def layout(tensor: torch.Tensor) -> Json:
        return {"tensor": f"{name_of(tensor.dtype)} {list(tensor.shape)}"}

    return _tree(arguments, layout, records=True, unknown=lambda value: type(value).__name__)


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        parts: Any = value
    else:
        parts = (value if isinstance(value, dict) else fields_of(value) or {}).values()
    return [tensor for part in parts for tensor in tensors_in(part)]


def rebuilt(
    value: Any,
    change: Callable[[torch.Tensor], torch.Tensor],
    plain: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """Return a copy of `value` with each tensor changed by `change`, and other leaves by `plain`.

    Containers are copied with their classes, because a test may use `.values`.
    """
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, list | tuple):
        parts = [rebuilt(part, change, plain) for part in value]
        kind: Any = type(value)
        return kind._make(parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(value, dict):
        copied = copy(value)
        copied.update({name: rebuilt(part, change, plain) for name, part in value.items()})
        return copied
    if (parts_by_name := fields_of(value)) is None:
        return plain(value)
    made = copy(value)
    for name, part in parts_by_name.items():
        object.__setattr__(made, name, rebuilt(part, change, plain))
    return made


def as_bytes(tensor: torch.Tensor, *, copied: bool = False) -> Blob:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().cpu()
    if copied and plain.data_ptr() == tensor.data_ptr():
        plain = plain.clone()
    if plain.numel() == 0:
        return b""
    # Torch calls any stride of a single element contiguous, but `view` needs a stride of 1.
    flat = plain.reshape(-1).as_strided((plain.numel(),), (1,))
    view: memoryview = flat.view(torch.uint8).numpy().data
    return view


def from_bytes(blob: Blob, dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
    """Return a copy, so that writes to the tensor do not change the parcel."""
    if len(blob) == 0:
        return torch.empty(list(shape), dtype=dtype)
    return torch.frombuffer(bytearray(blob), dtype=torch.uint8).view(dtype).reshape(list(shape))


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _tree(
    value: Any, tensor: Callable[[torch.Tensor], Json], *, records: bool = False,
    unknown: Callable[[Any], Json] | None = None,
) -> Json:  # fmt: skip
    """Return a value as JSON.

    tensor: describes a tensor.
    records: whether to keep the classes of records. Otherwise they become tuples and dictionaries.
    unknown: describes a value of any other kind; None to raise CannotTravel.
    """

    def tree(value: Any) -> Json:
        if isinstance(value, torch.Tensor):
            return tensor(value)
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, torch.dtype):
            return {"dtype": name_of(value)}
        if isinstance(value, torch.device):
            return {"device": ""}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, list):
            return [tree(part) for part in value]
        named = fields_of(value)
        if named is not None and records:
            of_tuple = isinstance(value, tuple)
            described = {"class": type(value).__name__, "of_tuple": of_tuple, "fields": tree(named)}
            return {"record": described}
        if isinstance(value, tuple):
            return {"tuple": [tree(part) for part in value]}
        if named is not None or isinstance(value, dict):
            return {"dict": [[tree(key), tree(part)] for key, part in (named or value).items()]}
        if unknown is not None:
            return unknown(value)
        raise CannotTravel(f"a {type(value).__name__}")

    return tree(value)
