"""A recipe: axes with values to combine, and a function from a combination to a sketch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from validation.pairs.recipes.perf import perf_sizes
from validation.pairs.recipes.sketch import Sketch


class Recipe:
    """A recipe. `build` gets one value of each axis, and returns None if they are incompatible.

    The template of the Triton side gets these values too. The axis `dtypes`, if there is one,
    determines the data types.
    """

    def __init__(
        self, name: str, build: Callable[..., Sketch | None], **axes: tuple[Any, ...]
    ) -> None:
        self.name, self.build, self.axes = name, build, axes

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
        if sketch is None:
            return None
        dtypes = sketch.dtypes or chosen.get("dtypes", ("float32",))
        return replace(
            sketch,
            dtypes=dtypes,
            tolerance={dtype: sketch.tolerance[dtype] for dtype in dtypes},
            perf=sketch.perf or perf_sizes(sketch.size_names),
            values={**chosen, **sketch.values},
        )
