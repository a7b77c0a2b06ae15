"""Filter for informative chains, evaluated in NumPy on sample values before a pair is made.

A test on a nearly constant output would be vacuous. A ReLU after a log-softmax is always zero, and
a hundredth of a log-sigmoid is below the tolerance of bfloat16.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

# 64 ordinary values, evenly spaced over the middle of a normal distribution.
ORDINARY = np.linspace(-2.5, 2.5, 64)
# Samples: ordinary values, the range of thousands of values, a thousand times that, and integers.
VALUES: Mapping[str, Any] = {
    "ordinary": ORDINARY,
    "far": 1.6 * ORDINARY,
    "large": 4000 * ORDINARY,
    "whole": np.linspace(-100, 100, 64).astype(np.int64),
}
# Largest share of equal results, and lower bound on the largest result.
SAME, LEAST = 0.9, 0.12
# Lower bound on the range of results.
SPREAD = 0.05
# Most results at the extreme (one on either side of zero), and lower bound on the extreme's
# absolute value.
FEW, LEAST_EXTREME = 2, 0.02
# If order matters: lower bound on the largest result minus the eighth largest.
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
        sum=np.sum,
        max=np.max,
        min=np.min,
    ),
    "fmax": np.maximum,
    "fmin": np.minimum,
    "fclamp": np.clip,
    "ftanh": np.tanh,
    "fexact_tanh": np.tanh,
    "fexpm1": np.expm1,
    "flog1p": np.log1p,
    "frow_max": np.max,
    "frow_min": np.min,
    "mask": True,
    "n_cols": ORDINARY.size,
}


def answers(lines: Iterable[str], **values: Any) -> Any:
    """Return `y` after running these Triton lines in NumPy, or None if NumPy lacks a function."""
    names = {**WORDS, **values}
    try:
        with np.errstate(all="ignore"):
            for line in lines:
                exec(_compiled(line), names)  # noqa: S102 - our own recipes' lines
    except (NameError, AttributeError, TypeError, ValueError):
        return None
    return names["y"]


def operand(number: int, values: Any = ORDINARY) -> Any:
    """Return sample values for an additional tensor: the same values in another order."""
    return values[(np.arange(values.size) * (29 + 8 * number) + 7) % values.size]


def is_informative(results: Any, least: float = LEAST, spread: float = SPREAD) -> bool:
    """Return whether a test would notice an error in these results.

    They must not be all equal, the largest must be at least `least`, and their range at least
    `spread`.
    """
    if results is None:
        return True
    values = np.broadcast_to(np.asarray(results, float), ORDINARY.shape)
    _, counts = np.unique(np.round(values, 6), return_counts=True)
    return bool(
        counts.max() < SAME * values.size
        and np.abs(values).max() >= least
        and np.ptp(values) >= spread
    )


def stands_out(results: Any, *, largest: bool) -> bool:
    """Return whether few results are at the extreme, and the extreme is not close to zero."""
    values = np.round(np.broadcast_to(np.asarray(results, float), ORDINARY.shape), 6)
    extreme = values.max() if largest else values.min()
    return bool((values == extreme).sum() <= FEW and abs(extreme) >= LEAST_EXTREME)


def has_order(results: Any) -> bool:
    """Return whether the largest few results differ from each other."""
    if results is None:
        return True
    values = np.sort(np.broadcast_to(np.asarray(results, float), ORDINARY.shape))
    return bool(values[-1] - values[-8] >= APART)


@functools.cache
def _compiled(line: str) -> Any:
    return compile(line.strip(), "recipe", "exec")
