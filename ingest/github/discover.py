"""Proposals of public repositories with Triton kernels, each once, for a person to enable.

GitHub shows only the first thousand results of a query. A query with more results is split by a
range of stars or file sizes until each part has few enough.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from math import isqrt

from ingest.github.client import GitHubClient, UnexpectedAnswer
from ingest.github.repository import ProposedRepository, from_json, repository

REPOSITORY_TERMS = (
    "topic:triton",
    "topic:triton-lang",
    "topic:openai-triton",
    "triton kernel in:name,description,readme",
    "triton gpu in:name,description,readme",
)
CODE_TERMS = ('"@triton.jit" language:python',)
SHOWN = 1_000
PAGE = 100

_MOST_STARS = 10_000_000
# Maximum bytes of a file that GitHub's code search indexes.
_LARGEST_INDEXED_FILE = 384 * 1024

OnGap = Callable[[str], None]


def discover(
    client: GitHubClient,
    *,
    min_stars: int,
    on_gap: OnGap,
    repository_terms: Collection[str] = REPOSITORY_TERMS,
    code_terms: Collection[str] = CODE_TERMS,
    opted_out: Collection[str] = (),
) -> Iterator[ProposedRepository]:
    """Yield each repository that is found, except forks, archived and opted-out repositories.

    `opted_out` contains `owner/name` or `owner`. `on_gap` is called with a message for each part of
    a search whose results are incomplete.
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
        query = f"{terms} fork:false archived:false"
        search = Search("/search/repositories", query, "stars", min_stars, _MOST_STARS)
        for item in search_all(client, search, on_gap):
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


def _names_by_code(
    client: GitHubClient, code_terms: Collection[str], known_ids: set[int], on_gap: OnGap
) -> Iterator[str]:
    """Yield repositories with matching files. Code search returns no stars and no license."""
    names: set[str] = set()
    for terms in code_terms:
        search = Search("/search/code", terms, "size", 0, _LARGEST_INDEXED_FILE)
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


@dataclass(frozen=True, slots=True)
class Search:
    """One query of one endpoint. `qualifier` has a value from `low` to `high`, both included."""

    path: str
    terms: str
    qualifier: str
    low: int
    high: int

    @property
    def query(self) -> str:
        return f"{self.terms} {self.qualifier}:{self.low}..{self.high}"

    def halves(self) -> tuple["Search", "Search"]:
        """Split the range at its geometric mean, because low stars and sizes are most frequent."""
        middle = min(max(isqrt(max(self.low, 1) * self.high), self.low), self.high - 1)
        return replace(self, high=middle), replace(self, low=middle + 1)


def search_all(client: GitHubClient, search: Search, on_gap: OnGap) -> Iterator[dict[str, object]]:
    """Yield every result of a search. A result may occur twice if it moves between pages."""
    pending = [search]
    while pending:
        current = pending.pop()
        total, is_complete, items = _page(client, current, 1)
        if not is_complete:
            # GitHub's search took too long. A second request often completes.
            total, is_complete, items = _page(client, current, 1)
        if total > SHOWN or not is_complete:
            if current.low < current.high:
                pending.extend(reversed(current.halves()))
                continue
            on_gap(f"GitHub does not show every result of '{current.query}'; some are left out.")
        yield from items
        for number in range(2, -(-min(total, SHOWN) // PAGE) + 1):
            yield from _page(client, current, number)[2]


def _page(
    client: GitHubClient, search: Search, number: int
) -> tuple[int, bool, list[dict[str, object]]]:
    """Return the total number of results, whether they are complete, and one page of them."""
    query = {"q": search.query, "per_page": str(PAGE), "page": str(number)}
    answer = client.get(search.path, query)
    if isinstance(answer, dict):
        total, items = answer.get("total_count"), answer.get("items")
        if isinstance(total, int) and isinstance(items, list):
            rows = [item for item in items if isinstance(item, dict)]
            return total, answer.get("incomplete_results") is not True, rows
    raise UnexpectedAnswer(f"GitHub's answer to {search.path} is no list of results.")
