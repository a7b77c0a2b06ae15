"""Recording of the gradient graph: autograd functions, and the operations between them.

A replay rebuilds the graph. It replays the instructions of each function, and torch's own engine
adds and scatters gradients between functions.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from validation.harness.recorder.recording import Recording

Json = Any
Key = tuple[int, torch.dtype, tuple[int, ...], tuple[int, ...], int]


class Graph:
    """Numbers for the tensors that need gradients. The inputs have the first numbers, in order."""

    def __init__(self, recording: "Recording") -> None:
        self.backwards: dict[str, Json] = {}
        self._recording = recording
        self._values: dict[Key, int] = {}
        self._count = 0
        self._functions: dict[int, int] = {}
        # Keep tensors and nodes alive, so that no other object gets the same address.
        self._kept: list[Any] = []
        self._is_backward = False

    def add_leaves(self, inputs: Iterable[torch.Tensor]) -> None:
        for tensor in inputs:
            if tensor.requires_grad:
                self._number(tensor)

    def begin_backward_pass(self) -> None:
        """From now on, record only inside autograd functions. Torch's engine does other work."""
        self._is_backward = True

    def is_engines_own(self) -> bool:
        return self._is_backward and not self._recording.inner

    def reaches(self, given: Iterable[torch.Tensor]) -> bool:
        """Return whether an operation on these tensors is in the graph, outside of functions."""
        if self._is_backward or self._recording.inner or not torch.is_grad_enabled():
            return False
        return any(self._value(tensor) is not None for tensor in given)

    def _value(self, tensor: torch.Tensor) -> int | None:
        return self._values.get(_key(tensor)) if tensor.requires_grad else None

    def _number(self, tensor: torch.Tensor) -> int:
        number = self._values[_key(tensor)] = self._count
        self._count += 1
        self._kept.append(tensor.untyped_storage())
        return number

    def reference(self, value: Any) -> Json | None:
        """Return a reference to a tensor of the graph by number, or None for any other value."""
        if self._recording.inner or not isinstance(value, torch.Tensor):
            return None
        number = self._value(value)
        return None if number is None else {"value": number}

    def result(self, tensor: torch.Tensor, *, joins: bool) -> Json:
        """Describe a result of an operation. `joins`: whether gradients may flow through it.

        A dispatch mode sees a result before autograd marks it, so the tensor's type decides.
        """
        storages = self._recording.storages
        if tensor.numel() and storages.find(tensor) is None:
            storages.add(tensor)
        number = self._number(tensor) if joins and tensor.is_floating_point() else None
        return {"value": number, "window": storages.window(tensor)}

    def record_function(self, args: tuple[Any, ...], apply: Callable[[], Any]) -> Any:
        """Apply an `autograd.Function`, and record it with the instructions of its forward pass."""
        inputs = [
            self._recording.values.encode(value, self.reference)
            if isinstance(value, torch.Tensor)
            else None
            for value in args
        ]
        self._recording.inner.append([])
        result = apply()
        instructions = self._recording.inner.pop()
        number = len(self._functions)
        places = {id(one): place for place, one in enumerate(args) if isinstance(one, torch.Tensor)}
        outputs: list[Json] = []
        for tensor in result if isinstance(result, tuple) else (result,):
            if not isinstance(tensor, torch.Tensor):
                outputs.append(None)
                continue
            output = {
                "value": None, "window": self._recording.storages.window(tensor),
                "differentiable": tensor.requires_grad, "given": places.get(id(tensor)),
            }  # fmt: skip
            if tensor.requires_grad:
                output["value"] = self._number(tensor)
                self._functions[id(tensor.grad_fn)] = number
                self._kept.append(tensor.grad_fn)
            outputs.append(output)
        self._recording.emit(
            do="function", number=number, inputs=inputs, instructions=instructions,
            outputs=outputs, single=not isinstance(result, tuple),
        )  # fmt: skip
        return result

    def record_backward(
        self, node: Any, gradients: tuple[Any, ...], apply: Callable[[], Any]
    ) -> Any:
        """Apply the backward pass of a function, and record it if its forward pass was recorded."""
        number = self._functions.get(id(node))
        if number is None or self._recording.inner:
            return apply()
        storages, windows = self._recording.storages, []
        for gradient in gradients:
            if gradient is not None and gradient.numel():
                storages.add(gradient)
                storages.mark_data(gradient)
            windows.append(None if gradient is None else storages.window(gradient))
        self._recording.inner.append([])
        result = apply()
        self.backwards[str(number)] = {
            "gradients": windows,
            "outputs": [
                storages.window(one) if isinstance(one, torch.Tensor) else None
                for one in (result if isinstance(result, tuple) else (result,))
            ],
            "instructions": self._recording.inner.pop(),
        }
        return result


def _key(tensor: torch.Tensor) -> Key:
    start = tensor.untyped_storage().data_ptr()
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    return start, tensor.dtype, shape, strides, int(tensor.storage_offset())
