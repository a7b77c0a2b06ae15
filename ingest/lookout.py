"""Asks GitHub what became of a source: is it there, has it moved, is its licence the same?"""

import logging

from django.conf import settings

from curation.models import Condition, Repository
from ingest.github import GitHubClient, GitHubError, ProposedRepository, repository

log = logging.getLogger(__name__)

_GITHUB = "https://github.com/"


def look_out(source: Repository) -> None:
    """Flag what is strange about a source of GitHub's. An API that is away changes nothing."""
    if not source.url.startswith(_GITHUB):
        return
    name = source.url.removeprefix(_GITHUB)
    client = GitHubClient(
        token=settings.GITHUB_TOKEN,
        base_url=settings.GITHUB_API,
        timeout_seconds=10,
        # An ingest doesn't wait for a rate limit: the next one asks again.
        longest_wait_seconds=5,
    )
    try:
        found = repository(client, name)
    except GitHubError as error:
        log.info("GitHub was not asked about %s: %s", source, error)
        return
    condition, note = _condition(source, name, found)
    columns = {"stars": found.stars} if found else {}
    Repository.objects.filter(pk=source.pk).update(
        condition=condition, condition_note=note, **columns
    )


def _condition(
    source: Repository, name: str, found: ProposedRepository | None
) -> tuple[Condition, str]:
    if found is None:
        return Condition.VANISHED, f"GitHub knows no {name} any more, or it is private."
    if found.full_name.casefold() != name.casefold():
        return Condition.MOVED, f"GitHub calls it {found.full_name} now."
    expected = source.expected_license
    if expected and found.license_spdx and found.license_spdx != expected:
        return (
            Condition.RELICENSED,
            f"GitHub reads its licence as {found.license_spdx}; {expected} was expected.",
        )
    return Condition.FINE, ""
