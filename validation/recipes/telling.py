"""Which chains tell something: tried in NumPy on ordinary values, before any pair is made of them.

The logarithm of a softmax is never positive, so a ReLU after it answers zero whatever comes in; and
a hundredth of a log-sigmoid lies below what a test of bfloat16 notices. Neither teaches anything.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

# Of 64 ordinary values, spread evenly over the middle of a normal distribution.
ORDINARY = np.linspace(-2.5, 2.5, 64)
# As far out as a few of thousands lie, a thousand times that, and whole numbers.
VALUES: Mapping[str, Any] = {
    "ordinary": ORDINARY,
    "far": 1.6 * ORDINARY,
    "large": 4000 * ORDINARY,
    "whole": np.linspace(-100, 100, 64).astype(np.int64),
}
# The most of them that may have one answer, and the least that the largest answer must be.
SAME, LEAST = 0.9, 0.12
# How far the answers must lie apart.
SPREAD = 0.05
# So many may share the largest or the least answer, one on either side of zero; and how far from
# zero it must be.
FEW, LEAST_EXTREME = 2, 0.02
# How far the eighth largest must lie below the largest where several are asked for.
APART = 0.05

_erf = np.vectorize(math.erf, otypes=[float])
WORDS: Mapping[str, Any] = {
    "tl": SimpleNamespace(
        abs=np.abs,
        exp=np.exp,
        exp2=np.exp2,
        log=np.log,
        sqrt=np.sqrt,
        sin=np.sin,
        cos=np.cos,
        floor=np.floor,
        where=np.where,
        maximum=np.maximum,
        minimum=np.minimum,
        erf=_erf,
        rsqrt=lambda x: 1.0 / np.sqrt(x),
        sigmoid=lambda x: 1.0 / (1.0 + np.exp(-x)),
    ),
    "fmax": np.maximum,
    "fmin": np.minimum,
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "row_max": np.max,
    "row_min": np.min,
    "mask": True,
    "n_cols": ORDINARY.size,
}


def answers(lines: Iterable[str], **values: Any) -> Any:
    """`y` after these lines of a Triton side; None where they say what NumPy has no word for."""
    names = {**WORDS, **values}
    try:
        with np.errstate(all="ignore"):
            for line in lines:
                exec(_compiled(line), names)  # noqa: S102 - our own recipes' lines
    except (NameError, AttributeError, TypeError, ValueError):
        return None
    return names["y"]


def operand(number: int, values: Any = ORDINARY) -> Any:
    """Values for a further tensor: the same ones in another order."""
    return values[(np.arange(values.size) * (29 + 8 * number) + 7) % values.size]


def tells(found: Any, least: float = LEAST, spread: float = SPREAD) -> bool:
    """Whether a test would see from these answers that something is wrong with them: they are not
    all the same, the largest is `least`, and `spread` lies between them."""
    if found is None:
        return True
    values = np.broadcast_to(np.asarray(found, float), ORDINARY.shape)
    _, counts = np.unique(np.round(values, 6), return_counts=True)
    return bool(
        counts.max() < SAME * values.size
        and np.abs(values).max() >= least
        and np.ptp(values) >= spread
    )


def stands_out(found: Any, *, largest: bool) -> bool:
    """Whether the extreme of these answers is one of them or a few, not a level that many reach,
    and not next to nothing."""
    values = np.round(np.broadcast_to(np.asarray(found, float), ORDINARY.shape), 6)
    extreme = values.max() if largest else values.min()
    return bool((values == extreme).sum() <= FEW and abs(extreme) >= LEAST_EXTREME)


def has_an_order(found: Any) -> bool:
    """Whether the largest few of these answers are told from one another."""
    if found is None:
        return True
    values = np.sort(np.broadcast_to(np.asarray(found, float), ORDINARY.shape))
    return bool(values[-1] - values[-8] >= APART)


@functools.cache
def _compiled(line: str) -> Any:
    return compile(line.strip(), "recipe", "exec")
