import random
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.github import GitHubClient, GitHubError, ProposedRepository, repository
from ingest.github import discover as discover_all
from ingest.github.discover import Search
from tests.ingest.github.fake_github import FakeGitHub, FakeRepository, Reply

TOPIC = ("topic:triton",)


def discover(client: GitHubClient, **options: Any) -> Iterator[ProposedRepository]:
    defaults: dict[str, Any] = {"min_stars": 100, "on_gap": lambda gap: None}
    return discover_all(client, **defaults | options)


def names(found: object) -> list[str]:
    return [proposed.full_name for proposed in found]  # type: ignore[attr-defined]


def test_a_discovered_repository_has_stars_and_a_license(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories.append(FakeRepository(7, stars=321, license="Apache-2.0"))

    (found,) = discover(client, repository_terms=TOPIC)

    assert (found.github_id, found.full_name, found.stars) == (7, "owner7/kernels7", 321)
    assert found.license_spdx == "Apache-2.0"


def test_discovery_reads_all_pages(client: GitHubClient, github: FakeGitHub) -> None:
    github.repositories += [FakeRepository(n) for n in range(1, 251)]

    found = names(discover(client, repository_terms=TOPIC))

    assert len(set(found)) == len(found) == 250


def test_discovery_finds_more_than_the_thousand_result_limit(
    client: GitHubClient, github: FakeGitHub
) -> None:
    chance = random.Random(5)  # noqa: S311
    github.repositories += [
        FakeRepository(n, stars=int(100 * chance.paretovariate(1.2))) for n in range(1, 2501)
    ]

    found = names(discover(client, repository_terms=TOPIC))

    assert len(set(found)) == len(found) == 2500
    assert len(github.asked) < 100


def test_a_search_that_can_not_be_split_further_is_reported(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories += [FakeRepository(n, stars=150) for n in range(1, 1201)]
    gaps: list[str] = []

    found = names(discover(client, repository_terms=TOPIC, code_terms=(), on_gap=gaps.append))

    assert len(found) == 1000
    assert len(gaps) == 1 and "does not show every result" in gaps[0]


def test_incomplete_search_results_are_retried_and_then_split(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories += [FakeRepository(n, stars=100 + n) for n in range(1, 301)]
    github.incomplete_above = 60
    gaps: list[str] = []

    found = names(discover(client, repository_terms=TOPIC, code_terms=(), on_gap=gaps.append))

    assert len(set(found)) == 300
    assert gaps == []


def test_discovery_skips_forks_and_archived_opted_out_or_small_repositories(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories += [
        FakeRepository(1, fork=True, file_sizes=(9,)),
        FakeRepository(2, archived=True, file_sizes=(9,)),
        FakeRepository(3, full_name="Nobody/asked", file_sizes=(9,)),
        FakeRepository(4, full_name="private-owner/x"),
        FakeRepository(5, stars=99, file_sizes=(9,)),
        FakeRepository(6),
    ]

    found = names(
        discover(client, repository_terms=TOPIC, opted_out=["nobody/Asked", "private-owner"])
    )

    assert found == ["owner6/kernels6"]


def test_code_search_adds_repositories_without_a_topic_and_no_duplicates(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories += [
        FakeRepository(1, file_sizes=(100, 200)),
        FakeRepository(2, topic="none", file_sizes=tuple(range(1, 1500))),
        FakeRepository(3, topic="none", file_sizes=(300_000,)),
        FakeRepository(4, topic="none"),
    ]

    found = names(discover(client, repository_terms=("topic:triton", "topic:triton")))

    assert found == ["owner1/kernels1", "owner2/kernels2", "owner3/kernels3"]
    assert github.asked.count("/repos/owner2/kernels2") == 1


def test_without_a_token_code_search_is_skipped_and_reported(github: FakeGitHub) -> None:
    github.repositories.append(FakeRepository(1, topic="none", file_sizes=(9,)))
    gaps: list[str] = []

    found = names(
        discover(GitHubClient(base_url=github.url), repository_terms=TOPIC, on_gap=gaps.append)
    )

    assert found == []
    assert "token" in gaps[0]
    assert not any("/search/code" in path for path in github.asked)


def test_errors_during_discovery_lose_no_repository(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories += [FakeRepository(n) for n in range(1, 251)]
    found = discover(client, repository_terms=TOPIC, code_terms=())
    first = next(found)
    github.replies += [Reply(502), Reply(403, {"retry-after": "3"}), Reply(200, body=b'{"x', cut=1)]

    rest = names(found)

    assert len({first.full_name, *rest}) == 250


def test_a_malformed_search_item_is_reported_and_skipped(
    client: GitHubClient, github: FakeGitHub
) -> None:
    body = b'{"total_count": 2, "items": [{"id": "x", "full_name": "a/b"}, {"full_name": "a/.."}]}'
    github.replies.append(Reply(body=body))
    gaps: list[str] = []

    assert names(discover(client, repository_terms=TOPIC, code_terms=(), on_gap=gaps.append)) == []
    assert len(gaps) == 2


def test_a_search_response_without_a_list_is_an_error(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.replies.append(Reply(body=b'["a"]'))

    with pytest.raises(GitHubError, match="no list of results"):
        list(discover(client, repository_terms=TOPIC))


def test_a_repository_lookup_follows_a_move_and_detects_a_deletion(
    client: GitHubClient, github: FakeGitHub
) -> None:
    github.repositories.append(FakeRepository(1, full_name="new/name", license="NOASSERTION"))
    github.moved["old/name"] = 1

    moved = repository(client, "old/name")

    assert moved is not None
    assert (moved.full_name, moved.license_spdx) == ("new/name", "")
    assert repository(client, "gone/gone") is None
    for wrong in ("a/b/../../user", "a", "a/..", "a/b?x"):
        with pytest.raises(GitHubError):
            repository(client, wrong)


@pytest.mark.parametrize("low", [0, 1, 100])
def test_halves_cover_a_range_without_overlap_down_to_single_values(low: int) -> None:
    pending = [Search("/search/repositories", "", "stars", low, low + 40)]
    singles: list[int] = []
    while pending:
        part = pending.pop()
        if part.low == part.high:
            singles.append(part.low)
            continue
        first, second = part.halves()
        assert (first.low, second.low, second.high) == (part.low, first.high + 1, part.high)
        pending += [first, second]

    assert sorted(singles) == list(range(low, low + 41))
