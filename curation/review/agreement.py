"""How far two reviewers agree, and how much of that is more than chance. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    count: int
    percent: float | None
    kappa: float | None
    undefined: str = ""
    """Why there is no kappa."""


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """From what the first and the second reviewer said of each item."""
    said = list(pairs)
    if not said:
        return Agreement(0, None, None, "nothing has been reviewed twice yet")
    total = len(said)
    observed = sum(one == other for one, other in said) / total
    first, second = Counter(one for one, _ in said), Counter(other for _, other in said)
    by_chance = sum(first[word] * second[word] for word in first) / total**2
    if by_chance == 1:
        word = said[0][0]
        return Agreement(
            total, 100.0, None, f"both said “{word}” every time, so that chance explains it all"
        )
    kappa = (observed - by_chance) / (1 - by_chance)
    return Agreement(total, round(100 * observed, 1), round(kappa, 3))
