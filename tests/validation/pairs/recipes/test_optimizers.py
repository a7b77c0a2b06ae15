"""Named optimizers compute the same as those of torch.optim."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from validation.pairs.recipes.optimizers import OPTIMIZERS


@pytest.mark.parametrize(
    ("kind", "optimizer"),
    [("adam", torch.optim.Adam), ("adamax", torch.optim.Adamax)],
)
def test_the_first_steps_are_those_of_torch_optim(
    kind: str, optimizer: type[torch.optim.Adam | torch.optim.Adamax]
) -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(100, generator=generator)
    parameter = start.clone().requires_grad_()
    steps = optimizer([parameter], lr=0.05)
    zeros = torch.zeros(100)
    (lines,) = (one.lines for one in OPTIMIZERS if one.name == kind)
    values: dict[str, Any] = {"torch": torch, "p": start, "m": zeros, "v": zeros, "lr": 0.05}

    for step in (1, 2, 3):
        gradient = torch.randn(100, generator=generator)
        parameter.grad = gradient.clone()
        steps.step()
        values |= {"g": gradient, "step": step}
        for line in lines:
            exec(line, values)  # noqa: S102 - the recipe's own lines

    assert torch.allclose(values["p"], parameter, rtol=1e-5, atol=1e-6)
