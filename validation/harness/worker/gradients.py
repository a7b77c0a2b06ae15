"""Gradients of an answer, computed the same way for the reference and the replay."""

from typing import Any

import torch

from validation.harness.worker.values import rebuilt, tensors_in, unpack


def make_leaves(arguments: Any, tree: Any) -> Any:
    """Return the arguments with the tensors whose gradients count as leaves of a new graph.

    tree: the same arguments as they traveled. `gradient` marks its tensors.
    """
    declared: list[bool] = []

    def note(part: Any) -> torch.Tensor:
        declared.append(part["gradient"])
        return torch.empty(0)

    unpack(tree, note)
    marks = iter(declared)
    return rebuilt(arguments, lambda tensor: tensor.detach().requires_grad_(next(marks)))


def gradients(arguments: Any, answer: Any, seed: int) -> list[torch.Tensor | None]:
    """Return the gradient of each leaf; None where the answer does not depend on it.

    The cotangents are drawn from the seed, so both sides have the same.
    """
    outputs = [tensor for tensor in tensors_in(answer) if tensor.requires_grad]
    inputs = [tensor for tensor in tensors_in(arguments) if tensor.requires_grad]
    if not outputs:
        raise RuntimeError("no output requires a gradient")
    generator = torch.Generator().manual_seed(seed)
    cotangents = [
        torch.randn(output.shape, generator=generator).to(output.device, output.dtype)
        for output in outputs
    ]
    return list(torch.autograd.grad(outputs, inputs, cotangents, allow_unused=True))
