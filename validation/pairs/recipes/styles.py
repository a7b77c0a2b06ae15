"""Code styles: decisions of an author that change how a kernel works or is launched."""

from __future__ import annotations

import random
from dataclasses import dataclass

AUTOTUNE, META, FIXED = "autotune", "meta", "fixed"


@dataclass(frozen=True, slots=True)
class Style:
    """Choices of an author for a complete text."""

    tuning: str = FIXED
    writes_warps: bool = False
    exact: bool = False
    """Whether maxima and minima propagate NaN as PyTorch's do, and tanh, expm1 and log1p keep the
    digits of small arguments."""
    cache_hints: bool = False
    """Whether loads of several passes have eviction policies."""
    typed: bool = False
    """Whether the PyTorch side has type hints."""
    module: bool = False
    """Whether the PyTorch side is written as an `nn.Module`."""
    number: int = 0
    """Choice among equivalent comments."""
    warps: int = 0
    """Number of warps; 0 for the usual one."""


STYLES = (
    Style(),
    Style(tuning=AUTOTUNE, cache_hints=True, typed=True),
    Style(exact=True, tuning=META, writes_warps=True),
    Style(module=True, number=1),
)
"""Styles that together have every property."""


def drawn_style(draw: random.Random) -> Style:
    """Return a random style. Each property is as frequent as among authors of Triton."""
    return Style(
        tuning=draw.choices((AUTOTUNE, META, FIXED), (52, 16, 32))[0],
        writes_warps=draw.random() < 0.25,
        exact=draw.random() < 0.15,
        cache_hints=draw.random() < 0.4,
        typed=draw.random() < 0.35,
        module=draw.random() < 0.15,
        number=draw.randrange(12),
    )
