"""Replay of a `torch.autograd.Function`: its forward and backward passes play instructions.

Torch's own engine runs between functions, so it adds and scatters gradients.
"""

from typing import TYPE_CHECKING, Any

import torch

from validation.harness.program import AutogradCall, Backward, TensorView

if TYPE_CHECKING:
    from validation.harness.replayer.player import Player


class WrongGradient(Exception):
    """Torch's engine passes gradients that differ in form from the recorded ones."""


def play_function(player: "Player", call: AutogradCall) -> None:
    """Apply the function to its inputs in the graph, and add its outputs to the graph."""
    inputs = [None if value is None else player.value(value) for value in call.inputs]
    if not all(value is None or isinstance(value, torch.Tensor) for value in inputs):
        raise WrongGradient("a function with an input that is not a tensor")

    class Replay(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            player.play(call.instructions)
            outputs: list[Any] = []
            for output in call.outputs:
                if output is None:
                    outputs.append(None)
                elif output.given is None:
                    outputs.append(player.window(output.window))
                else:
                    outputs.append(tensors[output.given])
            pairs = [
                (output, tensor)
                for output, tensor in zip(call.outputs, outputs, strict=True)
                if output
            ]
            ctx.mark_dirty(*(tensor for output, tensor in pairs if output.given is not None))
            ctx.mark_non_differentiable(
                *(tensor for output, tensor in pairs if not output.differentiable)
            )
            return outputs[0] if call.single else tuple(outputs)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            backward = player.program.backwards.get(call.number)
            if backward is None:
                raise WrongGradient("a gradient where none was recorded")
            return _backward(player, backward, gradients)

    outputs = Replay.apply(*inputs)  # type: ignore[no-untyped-call]
    tensors = outputs if isinstance(outputs, tuple) else (outputs,)
    for tensor, output in zip(tensors, call.outputs, strict=True):
        if output is not None and output.value is not None:
            player.values[output.value] = tensor


def _backward(player: "Player", backward: Backward, gradients: tuple[Any, ...]) -> Any:
    for gradient, window in zip(gradients, backward.gradients, strict=True):
        if (gradient is None) != (window is None):
            raise WrongGradient("a gradient where none was recorded, or none where one was")
        if window is not None:
            _place(player, gradient, window)
    player.play(backward.instructions)
    return tuple(None if one is None else player.window(one) for one in backward.outputs)


def _place(player: "Player", gradient: torch.Tensor, window: TensorView) -> None:
    """Copy the gradient into the storage that the recording assigned to it, in its layout."""
    if tuple(gradient.shape) != window.shape:
        raise WrongGradient("a gradient of another shape")
    if window.storage is None:
        return
    if gradient.stride() == window.strides and gradient.storage_offset() == window.offset:
        player.bind(window.storage, gradient)
        return
    size = (window.last + 1) * gradient.itemsize
    player.bind(window.storage, torch.empty(size, dtype=torch.uint8, device=gradient.device))
    player.window(window).copy_(gradient)
