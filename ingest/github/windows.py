"""Complete listing of a search, although GitHub shows a thousand results a query.

A query with more results is split by a range (stars, creation, file size) until each part fits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isqrt

from ingest.github.client import GitHubClient
from ingest.github.errors import UnexpectedAnswer

SHOWN = 1_000
PAGE = 100
ATTEMPTS_WHEN_INCOMPLETE = 2

OnGap = Callable[[str], None]


def unconcerned(_gap: str) -> None:
    """Ignore gaps."""


@dataclass(frozen=True, slots=True)
class Range:
    """A qualifier with whole numbers from `low` to `high`, both included."""

    qualifier: str
    low: int
    high: int
    is_time: bool = False
    # A range that was never split is left out, which keeps queries short.
    always_said: bool = True

    def __str__(self) -> str:
        return f"{self.qualifier}:{self._said(self.low)}..{self._said(self.high)}"

    def halves(self) -> tuple["Range", "Range"]:
        """Split the range in two. Stars and sizes are dense at their low end."""
        if self.is_time:
            middle = (self.low + self.high) // 2
        else:
            middle = min(max(isqrt(max(self.low, 1) * self.high), self.low), self.high - 1)
        return (
            replace(self, high=middle, always_said=True),
            replace(self, low=middle + 1, always_said=True),
        )

    def _said(self, value: int) -> str:
        if not self.is_time:
            return str(value)
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Search:
    """One search of one endpoint, within its ranges. The first range with two values is split."""

    path: str
    terms: str
    ranges: tuple[Range, ...]

    @property
    def query(self) -> str:
        said = [str(part) for part in self.ranges if part.always_said]
        return " ".join([self.terms, *said])

    def parts(self) -> tuple["Search", ...]:
        """Split the search in two; empty if no range can be split."""
        for position, part in enumerate(self.ranges):
            if part.low < part.high:
                return tuple(
                    replace(
                        self,
                        ranges=(*self.ranges[:position], half, *self.ranges[position + 1 :]),
                    )
                    for half in part.halves()
                )
        return ()


def search_all(
    client: GitHubClient, search: Search, on_gap: OnGap = unconcerned
) -> Iterator[dict[str, object]]:
    """Yield every result of the search. One that moves between pages may occur twice."""
    pending = [search]
    while pending:
        current = pending.pop()
        first = _complete_page(client, current)
        if first.total > SHOWN or first.incomplete:
            parts = current.parts()
            if parts:
                pending.extend(reversed(parts))
                continue
            on_gap(f"GitHub does not show every result of '{current.query}'; some are left out.")
        yield from first.items
        visible = min(first.total, SHOWN)
        for number in range(2, -(-visible // PAGE) + 1):
            page = _page(client, current, number)
            yield from page.items
            if not page.items:
                break


@dataclass(frozen=True, slots=True)
class _Page:
    total: int
    incomplete: bool
    items: tuple[dict[str, object], ...]


def _complete_page(client: GitHubClient, search: Search) -> _Page:
    """Return the first page.

    It is requested again if GitHub ran out of time: the next try often ends.
    """
    page = _page(client, search, 1)
    for _ in range(ATTEMPTS_WHEN_INCOMPLETE - 1):
        if not page.incomplete:
            break
        page = _page(client, search, 1)
    return page


def _page(client: GitHubClient, search: Search, number: int) -> _Page:
    answer = client.get(
        search.path, {"q": search.query, "per_page": str(PAGE), "page": str(number)}
    )
    if isinstance(answer, dict):
        total, items = answer.get("total_count"), answer.get("items")
        if isinstance(total, int) and isinstance(items, list):
            rows = tuple(item for item in items if isinstance(item, dict))
            return _Page(total, answer.get("incomplete_results") is True, rows)
    raise UnexpectedAnswer(f"GitHub's answer to {search.path} is no list of results.")
