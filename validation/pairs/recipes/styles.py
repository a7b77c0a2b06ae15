"""Code styles: choices of an author that change how a kernel works or is launched."""

from __future__ import annotations

import random
from dataclasses import dataclass

AUTOTUNE, META, FIXED = "autotune", "meta", "fixed"


@dataclass(frozen=True, slots=True)
class Style:
    """Choices that an author makes once for a complete text."""

    tuning: str = FIXED
    writes_warps: bool = False
    exact: bool = False
    """Whether maxima and minima propagate NaN as in PyTorch, and tanh, expm1 and log1p are accurate
    near zero."""
    cache_hints: bool = False
    """Whether loads in several passes state eviction policies."""
    typed: bool = False
    """Whether the PyTorch text has type hints."""
    module: bool = False
    """Whether the PyTorch text is written as an `nn.Module`."""
    number: int = 0
    """Number that chooses among equivalent comments."""
    warps: int = 0
    """Number of warps, or 0 for the usual number."""


STYLES = (
    Style(),
    Style(tuning=AUTOTUNE, cache_hints=True, typed=True),
    Style(exact=True, tuning=META, writes_warps=True),
    Style(module=True, number=1),
)
"""Styles in which, taken together, every property occurs."""


def drawn_style(draw: random.Random) -> Style:
    """Return a random style. Each property is as frequent as in Triton code of real authors."""
    return Style(
        tuning=draw.choices((AUTOTUNE, META, FIXED), (52, 16, 32))[0],
        writes_warps=draw.random() < 0.25,
        exact=draw.random() < 0.15,
        cache_hints=draw.random() < 0.4,
        typed=draw.random() < 0.35,
        module=draw.random() < 0.15,
        number=draw.randrange(12),
    )
