"""What an item resembles, gathered for whatever lacks it: fingerprints, twins, benchmark matches.

Safe to call at any time, by any number of workers: what was done is done, and the rest is found.
"""

import time
from dataclasses import dataclass

from django.conf import settings

from curation.evidence import contamination, fingerprints, twins
from curation.evidence.subjects import EVERYTHING, PAIRS, Scope
from curation.evidence.watch import NOBODY, Watch
from curation.models import Role


@dataclass(frozen=True, slots=True)
class Gathered:
    """How many items each step had to look at."""

    fingerprinted: int
    placed: int
    compared: int


def gather(scope: Scope = EVERYTHING, watch: Watch = NOBODY) -> Gathered:
    """For all of `scope` that is new or stands otherwise than when it was looked at.

    An ingest asks for its repository (`seen_in`); pairs are looked at by the scheduler.
    """
    here = scope.repository
    return Gathered(
        fingerprinted=fingerprints.make_missing(scope, watch),
        placed=twins.settle(scope, watch),
        compared=contamination.compare(
            watch, benchmark_is_read=here is not None and here.role == Role.BENCHMARK
        ),
    )


_looked = -float("inf")


def gather_for_pairs_now_and_then() -> None:
    """For the scheduler, which comes by every few seconds: pairs come from many hands."""
    global _looked
    if time.monotonic() - _looked >= settings.EXAMINE_SECONDS:
        gather(PAIRS)
        _looked = time.monotonic()
