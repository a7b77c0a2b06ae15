"""Description of a layer: its inputs with names and sizes, and the cases of its test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validation.pairs.recipes.sketch import FLOATS, Argument, Sketch, tolerances

Sizes = tuple[Mapping[str, int], ...]

LINE: Sizes = ({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5003})
ROWS: Sizes = (
    {"rows": 1, "width": 1},
    {"rows": 3, "width": 17},
    {"rows": 64, "width": 127},
    {"rows": 97, "width": 300},
)
IMAGES: Sizes = (
    {"batch": 1, "channels": 1, "height": 5, "width": 7},
    {"batch": 2, "channels": 3, "height": 16, "width": 11},
    {"batch": 3, "channels": 12, "height": 17, "width": 19},
)
MATRICES: Sizes = (
    {"rows": 1, "inner": 1, "width": 1},
    {"rows": 17, "inner": 33, "width": 5},
    {"rows": 64, "inner": 128, "width": 48},
    {"rows": 97, "inner": 70, "width": 130},
)
FEEDS: Sizes = (
    {"rows": 1, "inner": 3, "width": 2},
    {"rows": 17, "inner": 33, "width": 20},
    {"rows": 70, "inner": 96, "width": 50},
)
HEADS: Sizes = (
    {"heads": 1, "queries": 1, "keys": 3, "width": 16},
    {"heads": 2, "queries": 17, "keys": 33, "width": 32},
    {"heads": 3, "queries": 50, "keys": 70, "width": 24},
)
BAGS: Sizes = (
    {"rows": 1, "width": 1, "many": 3},
    {"rows": 17, "width": 33, "many": 11},
    {"rows": 64, "width": 100, "many": 50},
)
SINGLE = ("float32",)


def module(
    name: str,
    summary: str,
    kind: str,
    inputs: str,
    sizes: Sizes,
    *python: str,
    dtypes: tuple[str, ...] = FLOATS,
    steps: int = 2,
    absolute: float = 1e-5,
    outputs: int = 1,
) -> Sketch:
    """Return a layer's sketch. `inputs`: names and sizes, such as `x: rows width, eps=1e-05`."""
    return Sketch(
        entry_point=name,
        summary=summary,
        operation_type=kind,
        tags=("inductor", "layer"),
        triton="",
        python=python,
        arguments=tuple(_argument(text.strip()) for text in inputs.split(",")),
        sizes=sizes,
        dtypes=dtypes,
        tolerance=tolerances(dtypes, steps, absolute),
        outputs=outputs,
    )


# Distributions, by name, of the inputs that are not normally distributed.
DRAWN: Mapping[str, Mapping[str, Any]] = {
    "variance": {"draw": "positive"},
    "scale": {"draw": "positive"},
    "probabilities": {"draw": "uniform"},
    "square": {"draw": "uniform"},
    "target": {"draw": "index", "bound": "width"},
    "index": {"draw": "index", "bound": "many"},
    "codes": {"draw": "integers", "dtype": "int8"},
}


def _argument(text: str) -> Argument:
    name, number, default = text.partition("=")
    if number:
        return Argument(name, default=default)
    name, _, shape = text.partition(":")
    return Argument(name, tuple(shape.split()), **DRAWN.get(name, {}))
