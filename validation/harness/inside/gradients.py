"""The backward pass, with the same cotangents for the reference and the candidate."""

from typing import Any

import torch

from validation.harness.inside.values import tensors_in


def gradients(arguments: Any, answer: Any, seed: int) -> list[torch.Tensor | None]:
    """Return a gradient for each floating input, None if the answer does not depend on it."""
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
