"""Differences between faulty and right texts, to find mistakes that repeat one another."""

import re
from collections import defaultdict

from curation.similarity.shingles import jaccard
from curation.similarity.structure import Structure, as_shingles
from validation.repairs.source import FaultyText

# Two pairs are near-duplicates at this similarity of their structure, as in generated sets.
NEAR = 0.8
# A variable: no attribute, and neither called nor the name of an argument.
VARIABLE = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*[(.]|=[^=])")
NUMBER = re.compile(r"(?<![\w.])\d[\w.]*")


class Differences:
    """The mistakes that are planted already, by kind and normalized difference."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], list[Structure]] = defaultdict(list)

    def has_near(self, kind: str, difference: str, pair: Structure) -> bool:
        """Return whether the same mistake is planted in the same pair or in a near-duplicate."""
        wide = as_shingles(pair)
        others = self._pairs.get((kind, difference), ())
        return any(jaccard(wide, as_shingles(other)) >= NEAR for other in others)

    def add(self, kind: str, difference: str, pair: Structure) -> None:
        self._pairs[kind, difference].append(pair)


def difference(fault: FaultyText) -> str:
    """Return the statement before and after the change, without variables and numbers."""
    both = f"{fault.shown_right} -> {fault.shown}"
    return NUMBER.sub("0", VARIABLE.sub("v", both))
