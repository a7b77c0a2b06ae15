"""One repository as GitHub describes it. Also shows whether it still exists."""

import re
from dataclasses import dataclass

from ingest.github.client import GitHubClient, GitHubError, UnexpectedAnswer

_FULL_NAME = re.compile(r"[A-Za-z0-9_.-]+/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
# GitHub's names for a license that it did not identify. They are treated like no license.
_UNNAMED_LICENSES = frozenset({"", "NOASSERTION", "OTHER"})


@dataclass(frozen=True, slots=True)
class ProposedRepository:
    """Facts of a repository that is not enabled yet. `github_id` stays the same after a rename."""

    github_id: int
    full_name: str
    stars: int
    license_spdx: str
    description: str = ""
    is_fork: bool = False
    is_archived: bool = False


def repository(client: GitHubClient, full_name: str) -> ProposedRepository | None:
    """Return the repository's present state, or None if it vanished or became private.

    A moved repository has its new name, so compare `full_name` with the requested name.
    """
    if not _FULL_NAME.fullmatch(full_name):
        raise GitHubError(f"{full_name[:100]!r} is not of the form owner/name.")
    answer = client.get(f"/repos/{full_name}")
    if answer is None:
        return None
    if not isinstance(answer, dict):
        raise UnexpectedAnswer(f"GitHub's answer for {full_name} is no repository.")
    return from_json(answer)


def from_json(item: dict[str, object]) -> ProposedRepository:
    """Read a repository from GitHub's JSON. Raises UnexpectedAnswer if a field has another type."""
    full_name = _text(item, "full_name")
    if not _FULL_NAME.fullmatch(full_name):
        raise UnexpectedAnswer(f"GitHub names a repository {full_name[:100]!r}, which can't be.")
    return ProposedRepository(
        github_id=_number(item, "id"),
        full_name=full_name,
        stars=_number(item, "stargazers_count"),
        license_spdx=_license(item.get("license")),
        description=_text(item, "description"),
        is_fork=item.get("fork") is True,
        is_archived=item.get("archived") is True or item.get("disabled") is True,
    )


def _license(value: object) -> str:
    spdx = value.get("spdx_id") if isinstance(value, dict) else ""
    return "" if not isinstance(spdx, str) or spdx.upper() in _UNNAMED_LICENSES else spdx


def _text(item: dict[str, object], name: str) -> str:
    value = item.get(name)
    if value is not None and not isinstance(value, str):
        raise UnexpectedAnswer(f"GitHub describes a repository whose {name} is no text.")
    return value or ""


def _number(item: dict[str, object], name: str) -> int:
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UnexpectedAnswer(f"GitHub describes a repository whose {name} is no number.")
    return value
