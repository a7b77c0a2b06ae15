"""Construction of modules and example inputs with fake weights. This runs in the sandbox.

All tensors are fake, so weights take no memory and are not downloaded.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from validation.pairs.inductor import Unwritable

Made = tuple[nn.Module, Any]
Make = Callable[[], Made]

BATCH, TOKENS = 2, 19


def modules(request: Mapping[str, Any]) -> Iterator[tuple[str, Make]]:
    """Yield the name of each module with a function that constructs the module."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    name, text = request["name"], request["text"]
    if request["kind"] != "file":
        kinds = {"transformers": _of_transformers, "timm": _of_timm, "runnable": _of_runnable}
        yield name, partial(kinds[request["kind"]], name, text)
        return
    told = _executed("modules", text).get("MODULES")
    if not isinstance(told, dict) or not told:
        raise Unwritable("its MODULES is no dictionary of functions by name")
    for key, make in told.items():
        yield str(key), partial(_checked, make)


def _checked(make: Any) -> Made:
    match make():
        case (nn.Module() as module, tuple() | list() | dict() as inputs):
            return module, inputs
    raise Unwritable("its function does not return a module and a tuple of inputs")


def _of_transformers(name: str, text: str) -> Made:
    import transformers

    options = dict(json.loads(text or "{}"))
    kind = options.pop("model_type", "")
    known = transformers.CONFIG_MAPPING
    config_class = getattr(transformers, name, None) if not text else kind in known and known[kind]
    if not isinstance(config_class, type):
        raise Unwritable(f"transformers has no configuration {kind or name}")
    config = config_class(**options)
    # Other implementations than "eager" call a kernel of a library.
    model = transformers.AutoModel.from_config(config, attn_implementation="eager")
    if model.main_input_name == "pixel_values":
        size = getattr(config, "image_size", 224)
        sides = (size, size) if isinstance(size, int) else tuple(size)[:2]
        return model, {
            "pixel_values": torch.randn(BATCH, getattr(config, "num_channels", 3), *sides)
        }
    if model.main_input_name != "input_ids":
        raise Unwritable(f"inputs of the kind {model.main_input_name} can't be made")
    names = ["input_ids"]
    if getattr(config, "is_encoder_decoder", False):
        names.append("decoder_input_ids")
    inputs: dict[str, Any] = {n: torch.zeros(BATCH, TOKENS, dtype=torch.int64) for n in names}
    return model, {**inputs, "use_cache": False} if hasattr(config, "use_cache") else inputs


def _of_timm(name: str, _: str) -> Made:
    import timm

    if name not in timm.list_models():
        raise Unwritable(f"timm has no model {name}")
    model = timm.create_model(name, pretrained=False)
    return model, (torch.randn(BATCH, *model.default_cfg["input_size"]),)


def _of_runnable(_: str, text: str) -> Made:
    """Build a graph from torch.compile's file: a `Repro`, and `load_args` for its inputs."""
    space = _executed("runnable", text)
    repro, load = space.get("Repro"), space.get("load_args")
    if not isinstance(repro, type) or load is None:
        raise Unwritable("it holds no Repro with its load_args")
    reader = _Reader()
    load(reader)
    return repro(), tuple(reader.args)


class _Reader:
    """Records the shape of each argument. torch's own reader would load or draw values instead."""

    def __init__(self) -> None:
        self.args: list[Any] = []

    def storage(self, *_: Any, **__: Any) -> None:
        return None

    def tensor(
        self, _: Any, shape: Any, stride: Any = None, *, dtype: Any = torch.float32, **__: Any
    ) -> None:
        strides = torch.empty(tuple(shape), device="meta").stride() if stride is None else stride
        self.args.append(torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype))

    def symint(self, value: int) -> None:
        self.args.append(value)


def _executed(name: str, text: str) -> dict[str, Any]:
    module = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - in the sandbox
    return module.__dict__
