"""Status of a source on GitHub: vanished, moved, or with another license than before."""

import logging

from django.conf import settings

from curation.models import Condition, Repository
from ingest.github import GitHubClient, GitHubError, ProposedRepository, repository

log = logging.getLogger(__name__)

_GITHUB = "https://github.com/"
# Addresses of an API that gave no answer in this process. Each attempt waits for half a minute.
_silent: set[str] = set()


def update_status(source: Repository) -> None:
    """Store the status of a source on GitHub. Keep the old one if the API is unavailable."""
    if not source.url.startswith(_GITHUB):
        return
    if settings.LOCAL_CLONES and settings.GITHUB_API in _silent:
        return
    name = source.url.removeprefix(_GITHUB)
    client = GitHubClient(
        token=settings.GITHUB_TOKEN,
        base_url=settings.GITHUB_API,
        timeout_seconds=10,
        # An ingest does not wait for the rate limit. The next ingest asks again.
        longest_wait_seconds=5,
    )
    try:
        state = repository(client, name)
    except GitHubError as error:
        _silent.add(settings.GITHUB_API)
        log.info("The status of %s on GitHub is unknown: %s", source, error)
        return
    condition, note = _condition(source, name, state)
    columns = {"stars": state.stars} if state else {}
    Repository.objects.filter(pk=source.pk).update(
        condition=condition, condition_note=note, **columns
    )


def _condition(
    source: Repository, name: str, state: ProposedRepository | None
) -> tuple[Condition, str]:
    if state is None:
        return Condition.VANISHED, f"GitHub knows no {name} any more, or it is private."
    if state.full_name.casefold() != name.casefold():
        return Condition.MOVED, f"GitHub calls it {state.full_name} now."
    expectation = source.expected_license
    if expectation and state.license_spdx and state.license_spdx != expectation:
        return (
            Condition.RELICENSED,
            f"GitHub reads its license as {state.license_spdx}; {expectation} was expected.",
        )
    return Condition.FINE, ""
