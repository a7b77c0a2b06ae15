"""Proposes public repositories that hold Triton kernels, each once, for a person to enable."""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime

from ingest.github.client import GitHubClient
from ingest.github.errors import UnexpectedAnswer
from ingest.github.repository import ProposedRepository, from_json, repository
from ingest.github.windows import OnGap, Range, Search, search_all, unconcerned

REPOSITORY_TERMS = (
    "topic:triton",
    "topic:triton-lang",
    "topic:openai-triton",
    "triton kernel in:name,description,readme",
    "triton gpu in:name,description,readme",
)
CODE_TERMS = ('"@triton.jit" language:python',)

_MOST_STARS = 10_000_000
_GITHUB_BEGINS = datetime(2007, 1, 1, tzinfo=UTC)
# Larger files are not in GitHub's code search.
_LARGEST_INDEXED_FILE = 384 * 1024


def discover(
    client: GitHubClient,
    *,
    min_stars: int = 100,
    repository_terms: Collection[str] = REPOSITORY_TERMS,
    code_terms: Collection[str] = CODE_TERMS,
    opted_out: Collection[str] = (),
    on_gap: OnGap = unconcerned,
) -> Iterator[ProposedRepository]:
    """Each repository as soon as it is known; forks, archived and opted-out ones are left out.

    `opted_out` holds owner/name, or owner alone. `on_gap` is told what could not be covered.
    """
    refused = {name.casefold() for name in opted_out}
    seen: set[int] = set()

    def wanted(found: ProposedRepository) -> bool:
        name = found.full_name.casefold()
        if found.github_id in seen or found.is_fork or found.is_archived:
            return False
        seen.add(found.github_id)
        is_out = name in refused or name.partition("/")[0] in refused
        return found.stars >= min_stars and not is_out

    for terms in repository_terms:
        for item in search_all(client, _repository_search(client, terms, min_stars), on_gap):
            try:
                found = from_json(item)
            except UnexpectedAnswer as error:
                on_gap(str(error))
                continue
            if wanted(found):
                yield found
    if code_terms and not client.token:
        on_gap("GitHub searches code only with a token; none is set, so code was not searched.")
        return
    for name in _names_by_code(client, code_terms, seen, on_gap):
        looked_up = repository(client, name)
        if looked_up is not None and wanted(looked_up):
            yield looked_up


def _repository_search(client: GitHubClient, terms: str, min_stars: int) -> Search:
    begins, now = int(_GITHUB_BEGINS.timestamp()), int(client.clock())
    return Search(
        "/search/repositories",
        f"{terms} fork:false archived:false",
        (
            Range("stars", min_stars, max(_MOST_STARS, min_stars)),
            Range("created", begins, max(now, begins), is_time=True, always_said=False),
        ),
    )


def _names_by_code(
    client: GitHubClient, code_terms: Collection[str], seen: set[int], on_gap: OnGap
) -> Iterator[str]:
    """Repositories of the files that match; code search tells neither their stars nor licence."""
    named: set[str] = set()
    for terms in code_terms:
        search = Search("/search/code", terms, (Range("size", 0, _LARGEST_INDEXED_FILE),))
        for item in search_all(client, search, on_gap):
            owner = item.get("repository")
            if not isinstance(owner, dict) or owner.get("fork") is True or owner.get("id") in seen:
                continue
            name = owner.get("full_name")
            if isinstance(name, str) and name not in named:
                named.add(name)
                yield name
