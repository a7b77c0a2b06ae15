"""A recipe: axes whose combinations can be listed, and how one combination becomes a sketch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from validation.recipes.sketch import Sketch


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """`build` takes one value of each axis by name; None where they don't go together."""

    name: str
    build: Callable[..., Sketch | None]
    axes: Mapping[str, tuple[Any, ...]]

    @property
    def combinations(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    def sketch(self, combination: int) -> Sketch | None:
        """The combination of this number, counted as an odometer counts."""
        chosen = {}
        for name, values in self.axes.items():
            combination, place = divmod(combination, len(values))
            chosen[name] = values[place]
        return self.build(**chosen)
