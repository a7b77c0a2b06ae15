"""A recorded `autograd.Function`, rebuilt: its forward and backward pass play instructions.

Torch's own engine runs between such functions, so gradients are added and scattered by it.
"""

from typing import TYPE_CHECKING, Any

import torch

from validation.harness.program import Backward, Function, Meaning, Window

if TYPE_CHECKING:
    from validation.harness.replayer.playing import Player


class WrongGradient(Exception):
    """The engine hands over other gradients than while the launcher was recorded."""


def replayed(player: "Player", call: Function) -> None:
    """Apply the function to the present values, and keep what it returns."""
    inputs = [None if one is None else _input(player, one) for one in call.inputs]

    class Replayed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            player.play(call.instructions)
            made: list[Any] = []
            for output in call.outputs:
                if output is None:
                    made.append(None)
                elif output.given is not None:
                    made.append(tensors[output.given])
                else:
                    made.append(player.window(output.window))
            pairs = [(one, tensor) for one, tensor in zip(call.outputs, made, strict=True) if one]
            ctx.mark_dirty(*(tensor for one, tensor in pairs if one.given is not None))
            ctx.mark_non_differentiable(
                *(tensor for one, tensor in pairs if not one.differentiable)
            )
            return made[0] if call.single else tuple(made)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            backward = player.program.backwards.get(call.number)
            if backward is None:
                raise WrongGradient("a gradient where none was recorded")
            return _backward(player, backward, gradients)

    made = Replayed.apply(*inputs)  # type: ignore[no-untyped-call]
    for tensor, output in zip(
        made if isinstance(made, tuple) else (made,), call.outputs, strict=True
    ):
        if output is not None and output.value is not None:
            player.values[output.value] = tensor


def _input(player: "Player", meaning: Meaning) -> Any:
    tensor = player.value(meaning)
    if not isinstance(tensor, torch.Tensor):
        raise WrongGradient("a function with an input that is no tensor")
    return tensor


def _backward(player: "Player", backward: Backward, gradients: tuple[Any, ...]) -> Any:
    for gradient, window in zip(gradients, backward.gradients, strict=True):
        if (gradient is None) != (window is None):
            raise WrongGradient("a gradient where none was recorded, or none where one was")
        if window is not None:
            _hand_over(player, gradient, window)
    player.play(backward.instructions)
    return tuple(None if one is None else player.window(one) for one in backward.outputs)


def _hand_over(player: "Player", gradient: torch.Tensor, window: Window) -> None:
    """Let the gradient be the storage that it was recorded as, laid out in the same way."""
    if tuple(gradient.shape) != window.shape:
        raise WrongGradient("a gradient of another shape")
    if window.storage is None:
        return
    if gradient.stride() == window.strides and gradient.storage_offset() == window.offset:
        player.bind(window.storage, gradient)
        return
    reach = sum((size - 1) * step for size, step in zip(window.shape, window.strides, strict=True))
    bytes_ = (window.offset + reach + 1) * gradient.itemsize
    player.bind(window.storage, torch.empty(bytes_, dtype=torch.uint8, device=gradient.device))
    player.window(window).copy_(gradient)
