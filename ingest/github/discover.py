"""Proposals of public repositories with Triton kernels, each once, for a person to enable."""

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
    """Yield each repository when it is known, without forks, archived and opted-out ones.

    `opted_out` holds owner/name, or owner alone. `on_gap` gets a message for each part that
    could not be covered.
    """
    excluded = {name.casefold() for name in opted_out}
    known_ids: set[int] = set()

    def is_wanted(proposal: ProposedRepository) -> bool:
        name = proposal.full_name.casefold()
        if proposal.github_id in known_ids or proposal.is_fork or proposal.is_archived:
            return False
        known_ids.add(proposal.github_id)
        is_out = name in excluded or name.partition("/")[0] in excluded
        return proposal.stars >= min_stars and not is_out

    for terms in repository_terms:
        for item in search_all(client, _repository_search(client, terms, min_stars), on_gap):
            try:
                proposal = from_json(item)
            except UnexpectedAnswer as error:
                on_gap(str(error))
                continue
            if is_wanted(proposal):
                yield proposal
    if code_terms and not client.token:
        on_gap("GitHub searches code only with a token; none is set, so code was not searched.")
        return
    for name in _names_by_code(client, code_terms, known_ids, on_gap):
        looked_up = repository(client, name)
        if looked_up is not None and is_wanted(looked_up):
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
    client: GitHubClient, code_terms: Collection[str], known_ids: set[int], on_gap: OnGap
) -> Iterator[str]:
    """Yield repositories of matching files. Code search returns neither their stars nor license."""
    names: set[str] = set()
    for terms in code_terms:
        search = Search("/search/code", terms, (Range("size", 0, _LARGEST_INDEXED_FILE),))
        for item in search_all(client, search, on_gap):
            owner = item.get("repository")
            if (
                not isinstance(owner, dict)
                or owner.get("fork") is True
                or owner.get("id") in known_ids
            ):
                continue
            name = owner.get("full_name")
            if isinstance(name, str) and name not in names:
                names.add(name)
                yield name
