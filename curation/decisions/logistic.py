"""Logistic regression over named features: small, deterministic, explained by its terms. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

Features = Mapping[str, float]
# A feature counts if so many of the decided items have it. The penalty of large weights.
SEEN_LEAST, PENALTY = 5, 1.0
FOLDS, STEPS = 5, 25


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of standardized features, and what was measured when they were learned.

    agreement: share of decisions that the model predicts from the others. baseline: share of the
    more common decision.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    count: int
    agreement: float
    baseline: float

    def probability(self, features: Features) -> float:
        return _sigmoid(self.bias + sum(self.terms(features).values()))

    def terms(self, features: Features) -> dict[str, float]:
        """Return what each feature adds to the decision's logarithm of odds."""
        rows = zip(self.names, self.means, self.scales, self.weights, strict=True)
        return {
            name: weight * (features.get(name, 0.0) - mean) / scale
            for name, mean, scale, weight in rows
        }

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        lists: dict[str, Any] = {
            name: tuple(document[name]) for name in ("names", "means", "scales", "weights")
        }
        return cls(**{**document, **lists})


def learn(rows: Sequence[Features], approved: Sequence[bool]) -> LogisticModel:
    """Learn from decided items. The agreement is measured on items that were left out in turn."""
    counts: dict[str, int] = {}
    for row in rows:
        for name, value in row.items():
            counts[name] = counts.get(name, 0) + (value != 0.0)
    names = tuple(sorted(name for name, count in counts.items() if count >= SEEN_LEAST))
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], float)
    table = table.reshape(len(rows), len(names))
    wanted = np.array(approved, float)
    right = 0
    for fold in range(FOLDS):
        left_out = np.arange(len(rows)) % FOLDS == fold
        if left_out.all() or not left_out.any():
            continue
        weights, bias, means, scales = _fit(table[~left_out], wanted[~left_out])
        scores = (table[left_out] - means) / scales @ weights + bias
        right += int(((scores > 0) == (wanted[left_out] > 0)).sum())
    weights, bias, means, scales = _fit(table, wanted)
    share = float(wanted.mean())
    return LogisticModel(
        names, tuple(map(float, means)), tuple(map(float, scales)), tuple(map(float, weights)),
        float(bias), len(rows), right / len(rows), max(share, 1 - share),
    )  # fmt: skip


def _fit(table: Any, wanted: Any) -> tuple[Any, float, Any, Any]:
    """Return weights, bias, means and scales, by Newton's method with a penalty on the weights."""
    means, scales = table.mean(axis=0), table.std(axis=0)
    scales = np.where(scales > 0, scales, 1.0)
    design = np.column_stack([(table - means) / scales, np.ones(len(table))])
    penalty = np.full(design.shape[1], PENALTY)
    # The last column is the bias. A small penalty keeps it finite if all decisions are the same.
    penalty[-1] = 1e-3
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (chance - wanted) + penalty * weights
        curvature = (design.T * (chance * (1 - chance))) @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights[:-1], float(weights[-1]), means, scales


def _sigmoid(score: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))
