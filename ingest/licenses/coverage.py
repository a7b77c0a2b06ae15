"""How much of a repository's files is covered by which kind of licence evidence."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from ingest.licenses.records import Assessment, Verdict


class Category(StrEnum):
    """`valid` says it itself, `inherited` relies on the repository; both may be given away."""

    VALID = "valid"
    INHERITED = "inherited"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"
    BLOCKED = "blocked"


def coverage(assessments: Iterable[Assessment]) -> dict[Category, int]:
    """The number of files in each category, every category named."""
    counts = Counter(category(assessment) for assessment in assessments)
    return {name: counts[name] for name in Category}


def category(assessment: Assessment) -> Category:
    """The row of the coverage table that an assessment counts in."""
    if assessment.verdict is Verdict.PERMISSIVE:
        return Category.INHERITED if assessment.inherited else Category.VALID
    return Category(assessment.verdict.value)
