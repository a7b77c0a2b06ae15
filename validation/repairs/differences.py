"""Differences between faulty and right texts, so that no fault is planted twice in one form."""

import re
from collections import defaultdict

from curation.similarity.shingles import jaccard
from curation.similarity.structure import Structure, as_shingles
from validation.repairs.source import FaultyText

# Pairs with at least this structural similarity are near-duplicates, as in generated sets.
NEAR = 0.8
# A variable: neither an attribute, nor called, nor the name of a keyword argument.
VARIABLE = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*[(.]|=[^=])")
NUMBER = re.compile(r"(?<![\w.])\d[\w.]*")


class Differences:
    """The mistakes that were planted before, by kind and normalized difference."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], list[Structure]] = defaultdict(list)

    def has_near(self, kind: str, difference: str, pair: Structure) -> bool:
        """Return whether the same mistake was planted in this pair or a near-duplicate of it."""
        wide = as_shingles(pair)
        others = self._pairs.get((kind, difference), ())
        return any(jaccard(wide, as_shingles(other)) >= NEAR for other in others)

    def add(self, kind: str, difference: str, pair: Structure) -> None:
        self._pairs[kind, difference].append(pair)


def difference(fault: FaultyText) -> str:
    """Return the statement before and after the change, without variables and numbers."""
    both = f"{fault.shown_right} -> {fault.shown}"
    return NUMBER.sub("0", VARIABLE.sub("v", both))
