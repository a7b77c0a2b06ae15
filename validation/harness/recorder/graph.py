"""The graph that gradients go through: where functions begin and end, and what joins them.

A replay rebuilds it: a recorded function becomes one of the replay's own, and operations between
functions are done by torch under autograd. So torch's engine adds and scatters gradients there.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from validation.harness.recorder.recording import Recording

Json = Any
Key = tuple[int, torch.dtype, tuple[int, ...], tuple[int, ...], int]


class Graph:
    """Numbers the tensors that gradients are asked of: the inputs first, in their order."""

    def __init__(self, recording: "Recording") -> None:
        self.backwards: dict[str, Json] = {}
        self._recording = recording
        self._values: dict[Key, int] = {}
        self._count = 0
        self._functions: dict[int, int] = {}
        self._kept: list[Any] = []
        self._on_the_way_back = False

    def leaves(self, inputs: Iterable[torch.Tensor]) -> None:
        for tensor in inputs:
            if tensor.requires_grad:
                self._number(tensor)

    def turn_back(self) -> None:
        """From now on torch's engine runs: only what functions do there is recorded."""
        self._on_the_way_back = True

    def is_engines_own(self) -> bool:
        return self._on_the_way_back and not self._recording.is_inner

    def reaches(self, given: Iterable[torch.Tensor]) -> bool:
        """Return whether the operation becomes part of the graph, outside of any function."""
        if self._on_the_way_back or self._recording.is_inner or not torch.is_grad_enabled():
            return False
        return any(self._value(tensor) is not None for tensor in given)

    def _value(self, tensor: torch.Tensor) -> int | None:
        return self._values.get(_key(tensor)) if tensor.requires_grad else None

    def _number(self, tensor: torch.Tensor) -> int:
        number = self._values[_key(tensor)] = self._count
        self._count += 1
        self._kept.append(tensor.untyped_storage())
        return number

    def argument(self, value: Any) -> Json:
        """Return an argument of an operation: a value of the graph where it is one."""
        if isinstance(value, torch.Tensor):
            number = self._value(value) if not self._recording.is_inner else None
            if number is not None:
                return {"value": number}
            return {"window": self._recording.storages.window(value)}
        if isinstance(value, tuple | list):
            return {"list": [self.argument(part) for part in value]}
        for kind, words in ((torch.memory_format, "memory format"), (torch.layout, "layout")):
            if isinstance(value, kind):
                return {words: str(value).removeprefix("torch.")}
        if isinstance(value, torch.device):
            return {"device": value.type}
        if isinstance(value, complex):
            return {"complex": [value.real.hex(), value.imag.hex()]}
        return self._recording.values.argument(value)

    def result(self, tensor: torch.Tensor, *, joins: bool) -> Json:
        """Return a result of an operation. `joins`: gradients may go through it. A dispatch mode
        sees a result before autograd marks it, so an integer one is told apart by its type."""
        storages = self._recording.storages
        if tensor.numel() and storages.find(tensor) is None:
            storages.add(tensor)
        number = self._number(tensor) if joins and tensor.is_floating_point() else None
        return {"value": number, "window": storages.window(tensor)}

    # autograd.Function

    def begin_function(self, args: tuple[Any, ...]) -> Json:
        inputs = [self.argument(one) if isinstance(one, torch.Tensor) else None for one in args]
        self._recording.begin_inner()
        return inputs

    def end_function(self, inputs: Json, args: tuple[Any, ...], made: Any) -> None:
        instructions = self._recording.end_inner()
        number = len(self._functions)
        places = {id(one): place for place, one in enumerate(args) if isinstance(one, torch.Tensor)}
        outputs: list[Json] = []
        for tensor in made if isinstance(made, tuple) else (made,):
            if not isinstance(tensor, torch.Tensor):
                outputs.append(None)
                continue
            window, value = self._recording.storages.window(tensor), None
            if tensor.requires_grad:
                value = self._number(tensor)
                self._functions[id(tensor.grad_fn)] = number
                self._kept.append(tensor.grad_fn)
            outputs.append({
                "value": value, "window": window, "differentiable": tensor.requires_grad,
                "given": places.get(id(tensor)),
            })  # fmt: skip
        self._recording.emit(
            do="function", number=number, inputs=inputs, instructions=instructions,
            outputs=outputs, single=not isinstance(made, tuple),
        )  # fmt: skip

    def begin_backward(self, node: Any, gradients: tuple[Any, ...]) -> Json | None:
        """Return what a function gets on the way back, or None if it is not one of ours."""
        number = self._functions.get(id(node))
        if number is None or self._recording.is_inner:
            return None
        storages, windows = self._recording.storages, []
        for gradient in gradients:
            if gradient is not None and gradient.numel():
                storages.add(gradient)
                storages.mark_data(gradient)
            windows.append(None if gradient is None else storages.window(gradient))
        self._recording.begin_inner()
        return {"number": number, "gradients": windows}

    def end_backward(self, begun: Json, made: Any) -> None:
        window = self._recording.storages.window
        flat = made if isinstance(made, tuple) else (made,)
        outputs = [window(one) if isinstance(one, torch.Tensor) else None for one in flat]
        self.backwards[str(begun["number"])] = {
            "gradients": begun["gradients"],
            "instructions": self._recording.end_inner(),
            "outputs": outputs,
        }


def _key(tensor: torch.Tensor) -> Key:
    start = tensor.untyped_storage().data_ptr()
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    return start, tensor.dtype, shape, strides, int(tensor.storage_offset())
