"""Counts of a repository's files by kind of license evidence."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from ingest.licenses.records import Assessment, Verdict


class Category(StrEnum):
    """Kind of evidence.

    `valid` has its own statement, `inherited` the repository's; both are permissive.
    """

    VALID = "valid"
    INHERITED = "inherited"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"
    BLOCKED = "blocked"


def coverage(assessments: Iterable[Assessment]) -> dict[Category, int]:
    """Return the number of files in each category, including empty ones."""
    counts = Counter(category(assessment) for assessment in assessments)
    return {name: counts[name] for name in Category}


def category(assessment: Assessment) -> Category:
    """Return the category of an assessment."""
    if assessment.verdict is Verdict.PERMISSIVE:
        return Category.INHERITED if assessment.inherited else Category.VALID
    return Category(assessment.verdict.value)
