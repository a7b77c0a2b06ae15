"""Proposals of new GitHub repositories, as disabled sources for an admin to enable.

Proposals are ranked by the number of launchers that their tests compare. It is an estimate of what
drafting would find.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict

from django.conf import settings
from django.db.models import F, QuerySet

from curation.errors import CurationError
from curation.models import Condition, Origin, Repository, Role
from ingest.discovery_counts import DraftingCounts, count_texts
from ingest.extract.decoding import decode
from ingest.git import Blob, Selection, fetch
from ingest.git.errors import RepositoryNotFound
from ingest.github import GitHubClient, ProposedRepository, discover
from ingest.mirrors import remove_unused_mirrors
from ingest.sources import network, readable_source


def propose(
    client: GitHubClient, *, min_stars: int, on_gap: Callable[[str], None]
) -> Iterator[Repository]:
    """Yield each new repository, added as a disabled source. Update the stars of known sources."""
    opted_out = Repository.objects.exclude(opted_out_at=None).values_list("name", flat=True)
    for proposal in discover(client, min_stars=min_stars, opted_out=set(opted_out), on_gap=on_gap):
        existing = Repository.objects.named(proposal.full_name).first()
        if existing is not None:
            Repository.objects.filter(pk=existing.pk).update(stars=proposal.stars)
            continue
        yield _proposal(proposal)


def ranked_proposals() -> QuerySet[Repository]:
    """Return the counted proposals, those with the most compared launchers first."""
    order = ("compared_launchers", "launcher_count", "stars")
    counted = _proposals().exclude(compared_launchers=None)
    return counted.order_by(*(F(column).desc(nulls_last=True) for column in order), "name")


def count_proposals(limit: int, on_error: Callable[[str], None]) -> Iterator[Repository]:
    """Count kernels, launchers and tests of the proposals that have no counts yet.

    No code is executed or parsed. A later ingest uses the mirror that is fetched here.

    limit: maximum number of proposals to try. Those with the most stars are tried first.
    on_error: called with a message for each proposal that can't be fetched.
    """
    uncounted = _proposals().filter(compared_launchers=None).exclude(condition=Condition.VANISHED)
    for proposal in uncounted.order_by(F("stars").desc(nulls_last=True), "name")[:limit]:
        try:
            counts = _count(proposal)
        except CurationError as error:
            if isinstance(error, RepositoryNotFound):
                proposal.condition, proposal.condition_note = Condition.VANISHED, str(error)
                proposal.save(update_fields=("condition", "condition_note"))
            on_error(f"{proposal.name} was not counted: {error}")
            continue
        Repository.objects.filter(pk=proposal.pk).update(**asdict(counts))
        yield proposal
    remove_unused_mirrors()


def _count(repository: Repository) -> DraftingCounts:
    snapshot = fetch(
        readable_source(repository),
        mirrors=settings.DATA_DIR / "mirrors",
        selection=Selection(include=("**/*.py",)),
        network=network(),
    )
    paths = [entry.path for entry in snapshot.entries if entry.problem is None]
    blobs = (blob for blob in snapshot.read(paths) if isinstance(blob, Blob))
    return count_texts(decode(blob.data).text for blob in blobs)


def _proposals() -> QuerySet[Repository]:
    """Return the sources that are neither enabled nor opted out, and were never ingested."""
    return Repository.objects.filter(
        enabled=False, opted_out_at=None, last_ingested_at=None, role=Role.SOURCE
    ).exclude(origin=Origin.INDUCTOR)


def _proposal(proposal: ProposedRepository) -> Repository:
    return Repository.objects.create(
        name=proposal.full_name,
        url=f"https://github.com/{proposal.full_name}",
        enabled=False,
        stars=proposal.stars,
        expected_license=proposal.license_spdx or "",
        notes=(proposal.description or "")[:1000],
    )
