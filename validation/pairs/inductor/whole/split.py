"""Sandbox side: answers a request for the parts of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    FakeTensorMode,
    unset_fake_temporarily,
)

from validation.pairs.inductor.unwritable import Unwritable
from validation.pairs.inductor.whole.graph import graph_of
from validation.pairs.inductor.whole.making import Made, Make, modules
from validation.pairs.inductor.whole.parts import parts


def split(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"models": [[name, result of `parts`], …]}, or {"reason": …} if the request fails."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), _no_looking_at_weights():
            made = list(modules(request))
            return {"models": [[name, _parts(make)] for name, make in made]}
    except Exception as error:  # noqa: BLE001 - whatever somebody's file may raise
        return {"reason": _said(error)}


def _parts(make: Make) -> dict[str, Any]:
    try:
        module, inputs = _made(make)
        return parts(graph_of(module.eval(), inputs).graph)
    except Exception as error:  # noqa: BLE001 - whatever a model may raise
        return {"reason": _said(error)}


def _made(make: Make) -> Made:
    """Construct a module with fake tensors, or with real ones if the construction reads values
    (such as drop rates)."""
    try:
        return make()
    except DataDependentOutputException:
        with unset_fake_temporarily():
            return make()


def _said(error: Exception) -> str:
    match error:
        case Unwritable():
            return str(error)
        case DataDependentOutputException():
            return "what it computes depends on its values"
        case ModuleNotFoundError():
            return f"it imports {error.name}, which is not installed"
        case _:
            words = str(error).strip().splitlines()
            return f"it raises {type(error).__name__}" + (f": {words[0][:200]}" if words else "")


def _no_looking_at_weights() -> Any:
    """Replace an initialization that reads weights in order to redraw some."""
    return patch.object(torch.nn.init, "_no_grad_trunc_normal_", lambda tensor, *_, **__: tensor)
