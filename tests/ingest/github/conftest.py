from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from ingest.github import GitHubClient
from tests.ingest.github.fake_github import FakeGitHub, serving


@dataclass(slots=True)
class Clock:
    """Time that passes only when the client sleeps."""

    now: float = 1_780_000_000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with serving(FakeGitHub()) as state:
        yield state


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def waits() -> list[tuple[float, str]]:
    return []


@pytest.fixture
def client(github: FakeGitHub, clock: Clock, waits: list[tuple[float, str]]) -> GitHubClient:
    return GitHubClient(
        token="secret-token",
        base_url=github.url,
        on_wait=lambda seconds, reason: waits.append((seconds, reason)),
        sleep=clock.sleep,
        clock=lambda: clock.now,
        timeout_seconds=5.0,
    )
