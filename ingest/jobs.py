"""rq's entry points: a few lines each, over plain functions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.models import IngestRun, Origin, Repository
from curation.queue.attempt import Attempt, carry_out
from ingest.candidate import Candidate, Dropped
from ingest.local import head
from ingest.persist import store
from ingest.pipeline import candidates

BATCH = 200


def ingest(run_pk: int) -> None:
    """Read one repository, once."""
    carry_out(IngestRun, run_pk, _ingest)


def _ingest(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
    repository = run.repository
    if repository.opted_out:
        raise CurationError(f"{repository} was opted out before this ingest began.")
    if repository.origin != Origin.FOLDER:
        raise CurationError(f"{repository} stands on the web; only local folders can be read yet.")
    folder = Path(repository.url)
    run.commit = head(folder)
    # An earlier attempt may have been killed half-way: what it dropped is dropped again below.
    with transaction.atomic():
        attempt.renew(commit=run.commit, stage="read", done=0)
        run.drops.all().delete()
    funnel: Counter[str] = Counter()
    for batch in _batches(candidates(folder)):
        funnel += store(run, attempt, batch)
        attempt.renew(done=funnel["found"], funnel=dict(funnel))
    with transaction.atomic():
        attempt.succeed(stage="done", total=funnel["found"])
        Repository.objects.filter(pk=repository.pk).update(
            last_commit=run.commit, last_ingested_at=timezone.now()
        )


def _batches(items: Iterable[Candidate | Dropped]) -> Iterator[list[Candidate | Dropped]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
