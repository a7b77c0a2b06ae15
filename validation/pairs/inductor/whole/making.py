"""Sandbox side: construction of modules and example inputs, with fake weights.

All tensors are fake: no weight takes memory or is downloaded.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from validation.pairs.inductor.unwritable import Unwritable

Made = tuple[nn.Module, Any]
Make = Callable[[], Made]

BATCH, TOKENS = 2, 19


def modules(request: Mapping[str, Any]) -> Iterator[tuple[str, Make]]:
    """Yield names of modules, each with a function that constructs it."""
    match request["kind"]:
        case "file":
            yield from _of_file(request["text"])
        case "transformers":
            yield request["name"], lambda: _of_transformers(request["name"], request["text"])
        case "timm":
            yield request["name"], lambda: _of_timm(request["name"])
        case "runnable":
            yield request["name"], lambda: _of_runnable(request["text"])


def _of_file(text: str) -> Iterator[tuple[str, Make]]:
    told = _executed("modules", text).get("MODULES")
    if not isinstance(told, dict) or not told:
        raise Unwritable("its MODULES is no dictionary of functions by name")
    for name, make in told.items():
        yield str(name), lambda make=make: _checked(make)  # type: ignore[misc]


def _checked(make: Any) -> Made:
    answer = make()
    match answer:
        case (nn.Module() as module, tuple() | list() | dict() as inputs):
            return module, inputs
    raise Unwritable("its function does not return a module and a tuple of inputs")


def _of_transformers(name: str, text: str) -> Made:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    if text:
        options = dict(json.loads(text))
        kind = options.pop("model_type", "")
        if kind not in transformers.CONFIG_MAPPING:
            raise Unwritable(f"transformers knows no model_type {kind!r}")
        config = transformers.AutoConfig.for_model(kind, **options)
    else:
        config_class = getattr(transformers, name, None)
        if not isinstance(config_class, type) or not issubclass(
            config_class, transformers.PretrainedConfig
        ):
            raise Unwritable(f"transformers has no configuration {name}")
        config = config_class()
    # "eager", because other implementations call a library's kernel.
    model = transformers.AutoModel.from_config(config, attn_implementation="eager")
    return model, _asked_for(model, config)


def _asked_for(model: Any, config: Any) -> dict[str, Any]:
    if model.main_input_name == "pixel_values":
        shape = getattr(config, "num_channels", 3), *_pair(getattr(config, "image_size", 224))
        return {"pixel_values": torch.randn(BATCH, *shape)}
    if model.main_input_name != "input_ids":
        raise Unwritable(f"inputs of the kind {model.main_input_name} can't be made")
    inputs: dict[str, Any] = {"input_ids": torch.zeros(BATCH, TOKENS, dtype=torch.int64)}
    if getattr(config, "is_encoder_decoder", False):
        inputs["decoder_input_ids"] = torch.zeros(BATCH, TOKENS, dtype=torch.int64)
    return {**inputs, "use_cache": False} if hasattr(config, "use_cache") else inputs


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def _of_timm(name: str) -> Made:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import timm

    if name not in timm.list_models():
        raise Unwritable(f"timm has no model {name}")
    model = timm.create_model(name, pretrained=False)
    return model, (torch.randn(BATCH, *model.default_cfg["input_size"]),)


def _of_runnable(text: str) -> Made:
    """Build a graph from the file of torch.compile: a `Repro`, and `load_args` for its inputs."""
    space = _executed("runnable", text)
    repro, load = space.get("Repro"), space.get("load_args")
    if not isinstance(repro, type) or load is None:
        raise Unwritable("it holds no Repro with its load_args")
    reader = _Reader()
    load(reader)
    return repro(), tuple(reader.args)


class _Reader:
    """Records the shape of each argument; torch's own reader would load or draw values."""

    def __init__(self) -> None:
        self.args: list[Any] = []

    def storage(self, *_: Any, **__: Any) -> None:
        return None

    def tensor(
        self,
        _: Any,
        shape: Any,
        stride: Any = None,
        *,
        dtype: Any = None,
        **__: Any,
    ) -> torch.Tensor:
        sizes = tuple(shape)
        kind = dtype or torch.float32
        value = (
            torch.empty(sizes, dtype=kind)
            if stride is None
            else torch.empty_strided(sizes, tuple(stride), dtype=kind)
        )
        self.args.append(value)
        return value

    def symint(self, value: int) -> int:
        self.args.append(value)
        return value


def _executed(name: str, text: str) -> dict[str, Any]:
    module = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - in the sandbox
    return module.__dict__
