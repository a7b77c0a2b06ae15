"""Refresh of all similarity evidence: fingerprints, near-duplicates, benchmark matches.

Any number of workers may call it at any time. It continues where another call stopped.
"""

from dataclasses import dataclass

from curation.evidence import clusters, contamination, fingerprints
from curation.evidence.claim_sheet.claim_facts import refresh_open_claims
from curation.evidence.progress import NO_PROGRESS, JobProgress
from curation.evidence.subjects import EVERYTHING, PAIRS, ItemScope
from curation.models import Role

# Maximum number of items whose claims are counted per scheduled task. It takes a few seconds.
MOST_COUNTED = 2000


@dataclass(frozen=True, slots=True)
class RefreshCounts:
    """Number of items that each step processed."""

    fingerprinted: int
    placed: int
    compared: int


def refresh_similarity(
    scope: ItemScope = EVERYTHING, progress: JobProgress = NO_PROGRESS
) -> RefreshCounts:
    """Process all items of `scope` that are new or have changed.

    An ingest passes its repository (`seen_in`), the scheduler passes PAIRS.
    """
    repository = scope.repository
    return RefreshCounts(
        fingerprinted=fingerprints.make_missing(scope, progress),
        placed=clusters.place_changed(scope, progress),
        compared=contamination.compare(
            progress, benchmark_is_read=repository is not None and repository.role == Role.BENCHMARK
        ),
    )


def refresh_pairs() -> None:
    """Scheduled task: process new and changed pairs. Count the open claims of some items."""
    refresh_similarity(PAIRS)
    refresh_open_claims(most=MOST_COUNTED)
