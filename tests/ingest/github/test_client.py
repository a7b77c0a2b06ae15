import socket
from email.utils import formatdate

import pytest

from ingest.github import GitHubClient, GitHubError, UnexpectedAnswer
from tests.ingest.github.conftest import Clock
from tests.ingest.github.fake_github import FakeGitHub, FakeRepository, Reply

PATH = "/repos/owner1/kernels1"


@pytest.fixture(autouse=True)
def one_repository(github: FakeGitHub) -> None:
    github.repositories.append(FakeRepository(1))


def name(answer: object) -> object:
    return answer["full_name"] if isinstance(answer, dict) else None


@pytest.mark.parametrize("status", [403, 429])
def test_a_rate_limit_with_retry_after_is_waited_out_and_reported(
    client: GitHubClient,
    github: FakeGitHub,
    waits: list[tuple[float, str]],
    clock: Clock,
    status: int,
) -> None:
    github.replies.append(Reply(status, {"retry-after": "17"}))

    assert name(client.get(PATH)) == "owner1/kernels1"

    assert clock.slept == [17.0]
    ((seconds, reason),) = waits
    assert (seconds, "rate limit is reached" in reason) == (17.0, True)


def test_a_spent_rate_limit_is_waited_out_by_the_clock_of_github(
    client: GitHubClient, github: FakeGitHub, clock: Clock
) -> None:
    servers_now = clock.now + 5_000
    headers = {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": str(int(servers_now) + 40),
        "date": formatdate(servers_now, usegmt=True),
    }
    github.replies.append(Reply(403, headers))

    client.get(PATH)

    assert clock.slept == [pytest.approx(41.0)]


def test_a_secondary_rate_limit_doubles_the_wait_each_time(
    client: GitHubClient, github: FakeGitHub, clock: Clock
) -> None:
    limited = Reply(403, body=b'{"message": "You have exceeded a secondary rate limit."}')
    github.replies.extend([limited, limited])

    assert name(client.get(PATH)) == "owner1/kernels1"

    assert clock.slept == [60.0, 120.0]


def test_too_long_a_rate_limit_wait_is_an_error(client: GitHubClient, github: FakeGitHub) -> None:
    github.replies.append(Reply(429, {"retry-after": "90000"}))

    with pytest.raises(GitHubError, match="90000 seconds"):
        client.get(PATH)


def test_a_rate_limit_that_never_ends_is_an_error(client: GitHubClient, github: FakeGitHub) -> None:
    github.replies.extend([Reply(429, {"retry-after": "1"})] * 5)

    with pytest.raises(GitHubError, match="rate limit is reached"):
        client.get(PATH)


@pytest.mark.parametrize(
    "broken",
    [
        Reply(500),
        Reply(502, body=b"<html>bad gateway"),
        Reply(200, body=b'{"full_name": "owner1/ker', cut=None),
        Reply(200, body=b'{"full_name": "owner1/kernels1", "id": 1}', cut=10),
        Reply(200, body=b""),
        Reply(200, body=b"\xff\xfe"),
        Reply(200, body=b"[" * 100_000),
    ],
)
def test_a_broken_response_is_retried_with_exponential_backoff(
    client: GitHubClient, github: FakeGitHub, clock: Clock, broken: Reply
) -> None:
    github.replies.extend([broken] * 3)

    assert name(client.get(PATH)) == "owner1/kernels1"
    assert clock.slept == [1.0, 2.0, 4.0]


def test_responses_that_stay_broken_end_with_an_error(
    client: GitHubClient, github: FakeGitHub, clock: Clock
) -> None:
    github.replies.extend([Reply(200, body=b'{"a": 1}', cut=3)] * 9)

    with pytest.raises(GitHubError, match="5 attempts: its answer is cut off"):
        client.get(PATH)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(("longest", "slept"), [(3600.0, [1.0, 2.0, 4.0, 8.0]), (1.0, [1.0])])
def test_a_missing_network_ends_with_an_error(
    clock: Clock, longest: float, slept: list[float]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    client = GitHubClient(
        base_url=f"http://127.0.0.1:{port}", sleep=clock.sleep, longest_wait_seconds=longest
    )

    with pytest.raises(GitHubError, match="connection failed"):
        client.get(PATH)
    assert clock.slept == slept


def test_a_refused_request_without_a_rate_limit_is_not_retried(
    client: GitHubClient, github: FakeGitHub, clock: Clock
) -> None:
    github.replies.append(Reply(403, body=b'{"message": "Resource not accessible"}'))
    with pytest.raises(GitHubError, match="Resource not accessible"):
        client.get(PATH)
    github.replies.append(Reply(401, body=b'{"message": "Bad credentials"}'))
    with pytest.raises(GitHubError, match="set a valid one"):
        client.get(PATH)
    assert clock.slept == []


def test_a_missing_resource_gives_none(client: GitHubClient, github: FakeGitHub) -> None:
    assert client.get("/repos/no/body") is None
    github.replies.append(Reply(451))
    assert client.get(PATH) is None


def test_the_token_is_sent_only_to_github_and_never_shown(
    client: GitHubClient, github: FakeGitHub, waits: list[tuple[float, str]]
) -> None:
    github.replies.append(Reply(500, body=b'{"message": "secret-token"}'))
    client.get(PATH)
    github.replies.append(Reply(301, {"location": "https://elsewhere.example/x"}))
    with pytest.raises(UnexpectedAnswer, match="another host"):
        client.get(PATH)

    assert set(github.authorizations) == {"Bearer secret-token"}
    assert "secret-token" not in repr(client) + repr(waits)


def test_without_a_token_no_authorization_header_is_sent(github: FakeGitHub) -> None:
    GitHubClient(base_url=github.url).get(PATH)

    assert github.authorizations == [""]


def test_a_redirect_loop_of_the_api_ends(client: GitHubClient, github: FakeGitHub) -> None:
    github.replies.extend([Reply(301, {"location": PATH})] * 9)

    with pytest.raises(UnexpectedAnswer, match="without end"):
        client.get(PATH)


@pytest.mark.parametrize("token", ["a b", "a\nhost: evil", "é"])
def test_a_github_token_with_invalid_characters_is_refused(token: str) -> None:
    with pytest.raises(GitHubError) as refused:
        GitHubClient(token=token)
    assert token not in str(refused.value)
