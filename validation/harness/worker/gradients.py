"""Gradients of an answer, computed in the same way for the reference and the replay."""

from collections.abc import Sequence
from typing import Any

import torch

from validation.harness.plan.arguments import tensors
from validation.harness.worker.values import rebuilt, tensors_in


def make_leaves(arguments: Any, tree: Any) -> Any:
    """Return the arguments with differentiable tensors detached, as leaves of a new graph.

    tree: the serialized arguments. `gradient` marks the differentiable tensors.
    """
    marks = (part["gradient"] for part in tensors(tree))
    return rebuilt(arguments, lambda tensor: tensor.detach().requires_grad_(next(marks)))


def gradients(
    arguments: Any, answer: Any, seed: int, *, expanded: bool
) -> list[torch.Tensor | None]:
    """Return the gradient of each leaf; None where the answer does not depend on it."""
    outputs = [tensor for tensor in tensors_in(answer) if tensor.requires_grad]
    inputs = [tensor for tensor in tensors_in(arguments) if tensor.requires_grad]
    if not outputs:
        raise RuntimeError("no output requires a gradient")
    upstream = cotangents(outputs, seed, expanded=expanded)
    return list(torch.autograd.grad(outputs, inputs, upstream, allow_unused=True))


def cotangents(outputs: Sequence[torch.Tensor], seed: int, *, expanded: bool) -> list[torch.Tensor]:
    """Return the gradients of the outputs, the same for the reference and the replay.

    expanded: ones with strides of 0, as from `sum().backward()`. Otherwise they are random.
    """
    if expanded:
        return list(map(_expanded_ones, outputs))
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(output.shape, generator=generator).to(output.device, output.dtype)
        for output in outputs
    ]


def _expanded_ones(output: torch.Tensor) -> torch.Tensor:
    """Return ones expanded from a single element, with NaN behind it in memory. A kernel that
    assumes a dense gradient reads NaN. Unallocated memory could end the process on a GPU."""
    memory = torch.full((max(1, output.numel()),), torch.nan, dtype=output.dtype)
    memory[0] = 1.0
    return memory.to(output.device).as_strided(output.shape, (0,) * output.dim())
