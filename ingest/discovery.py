"""Proposes repositories that GitHub knows and we don't, as sources for an admin to enable."""

from collections.abc import Callable, Iterator

from curation.models import Repository
from ingest.github import GitHubClient, ProposedRepository, discover


def propose(
    client: GitHubClient, *, min_stars: int, on_gap: Callable[[str], None]
) -> Iterator[Repository]:
    """Each new source as soon as it is found, disabled; known ones get their stars renewed."""
    opted_out = Repository.objects.exclude(opted_out_at=None).values_list("name", flat=True)
    for found in discover(client, min_stars=min_stars, opted_out=set(opted_out), on_gap=on_gap):
        known = Repository.objects.named(found.full_name).first()
        if known is not None:
            Repository.objects.filter(pk=known.pk).update(stars=found.stars)
            continue
        yield _proposal(found)


def _proposal(found: ProposedRepository) -> Repository:
    return Repository.objects.create(
        name=found.full_name,
        url=f"https://github.com/{found.full_name}",
        enabled=False,
        stars=found.stars,
        expected_license=found.license_spdx or "",
        notes=(found.description or "")[:1000],
    )
