"""Proposals of new GitHub repositories, as disabled sources for an admin to enable."""

from collections.abc import Callable, Iterator

from curation.models import Repository
from ingest.github import GitHubClient, ProposedRepository, discover


def propose(
    client: GitHubClient, *, min_stars: int, on_gap: Callable[[str], None]
) -> Iterator[Repository]:
    """Yield each new source, disabled, when it is found. Known ones get their stars updated."""
    opted_out = Repository.objects.exclude(opted_out_at=None).values_list("name", flat=True)
    for proposal in discover(client, min_stars=min_stars, opted_out=set(opted_out), on_gap=on_gap):
        existing = Repository.objects.named(proposal.full_name).first()
        if existing is not None:
            Repository.objects.filter(pk=existing.pk).update(stars=proposal.stars)
            continue
        yield _proposal(proposal)


def _proposal(proposal: ProposedRepository) -> Repository:
    return Repository.objects.create(
        name=proposal.full_name,
        url=f"https://github.com/{proposal.full_name}",
        enabled=False,
        stars=proposal.stars,
        expected_license=proposal.license_spdx or "",
        notes=(proposal.description or "")[:1000],
    )
