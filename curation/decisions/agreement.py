"""Agreement of first and second reviewers, with Cohen's kappa. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    count: int
    percent: float | None
    kappa: float | None
    undefined: str = ""
    """Reason why kappa could not be computed, or ""."""


def agreement(pairs: Iterable[tuple[str, str]]) -> AgreementFigures:
    """Compute the agreement from pairs of verdicts, each of a first and a second reviewer."""
    verdicts = list(pairs)
    if not verdicts:
        return AgreementFigures(0, None, None, "nothing has been reviewed twice yet")
    total = len(verdicts)
    observed = sum(one == other for one, other in verdicts) / total
    first, second = Counter(one for one, _ in verdicts), Counter(other for _, other in verdicts)
    by_chance = sum(first[word] * second[word] for word in first) / total**2
    if by_chance == 1:
        word = verdicts[0][0]
        return AgreementFigures(
            total, 100.0, None, f"both said “{word}” every time, so chance explains everything"
        )
    kappa = (observed - by_chance) / (1 - by_chance)
    return AgreementFigures(total, round(100 * observed, 1), round(kappa, 3))
