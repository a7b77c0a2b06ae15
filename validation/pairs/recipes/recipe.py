"""A recipe: axes with values to combine, and a function from a combination to a sketch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from validation.pairs.recipes.perf import perf_sizes
from validation.pairs.recipes.sketch import Sketch


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """A recipe. `build` gets one value of each axis, and returns None if they are incompatible."""

    name: str
    build: Callable[..., Sketch | None]
    axes: Mapping[str, tuple[Any, ...]]

    @property
    def combinations(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    def sketch(self, combination: int) -> Sketch | None:
        """Return the sketch of the combination with this number: the first axis changes fastest."""
        chosen = {}
        for name, values in self.axes.items():
            combination, place = divmod(combination, len(values))
            chosen[name] = values[place]
        sketch = self.build(**chosen)
        if sketch is None or sketch.perf:
            return sketch
        return replace(sketch, perf=perf_sizes(sketch.size_names))
