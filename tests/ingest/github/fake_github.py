"""A local HTTP server that behaves like the parts of GitHub's API that discovery uses."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.ingest.git.http_server import listening

SHOWN = 1_000


@dataclass(slots=True)
class FakeRepository:
    number: int
    stars: int = 500
    full_name: str = ""
    fork: bool = False
    archived: bool = False
    license: str | None = "MIT"
    topic: str = "triton"
    file_sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.full_name = self.full_name or f"owner{self.number}/kernels{self.number}"

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.number,
            "full_name": self.full_name,
            "html_url": f"https://elsewhere.example/{self.full_name}",
            "stargazers_count": self.stars,
            "license": {"spdx_id": self.license} if self.license else None,
            "description": None,
            "fork": self.fork,
            "archived": self.archived,
        }

    def as_code_owner(self) -> dict[str, object]:
        return {"id": self.number, "full_name": self.full_name, "fork": self.fork}


@dataclass(slots=True)
class Reply:
    """One scripted answer, given before any real one. `cut` closes the line after that many."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut: int | None = None


@dataclass(slots=True)
class FakeGitHub:
    """Its repositories, what it is to answer first, and what it was asked."""

    repositories: list[FakeRepository] = field(default_factory=list)
    replies: deque[Reply] = field(default_factory=deque)
    moved: dict[str, int] = field(default_factory=dict)
    incomplete_above: int | None = None
    headers: Callable[[str], dict[str, str]] = lambda _path: {}
    port: int = 0
    asked: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    most_shown: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, target: str) -> Reply:
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path.startswith("/repos/"):
            return self._repository(url.path.removeprefix("/repos/"))
        if url.path.startswith("/repositories/"):
            number = int(url.path.removeprefix("/repositories/"))
            return _json(next(r.as_json() for r in self.repositories if r.number == number))
        if url.path == "/search/repositories":
            return self._page(
                [r.as_json() for r in self.repositories if _matches(r, query["q"])], query
            )
        if url.path == "/search/code":
            return self._page(self._files(query["q"]), query)
        return Reply(404, body=b'{"message": "Not Found"}')

    def _repository(self, name: str) -> Reply:
        if name in self.moved:
            return Reply(301, {"location": f"{self.url}/repositories/{self.moved[name]}"})
        for found in self.repositories:
            if found.full_name == name:
                return _json(found.as_json())
        return Reply(404, body=b'{"message": "Not Found"}')

    def _files(self, query: str) -> list[dict[str, object]]:
        low, high = _range(query, "size") or (0, 10**9)
        return [
            {"path": f"{size}.py", "repository": r.as_code_owner()}
            for r in self.repositories
            for size in r.file_sizes
            if low <= size <= high
        ]

    def _page(self, found: list[dict[str, object]], query: dict[str, str]) -> Reply:
        size, number = int(query.get("per_page", "30")), int(query.get("page", "1"))
        if size * (number - 1) >= SHOWN:
            message = b'{"message": "Only the first 1000 search results are available"}'
            return Reply(422, body=message)
        page = found[:SHOWN][size * (number - 1) : size * number]
        self.most_shown = max(self.most_shown, min(len(found), SHOWN))
        incomplete = self.incomplete_above is not None and len(found) > self.incomplete_above
        return _json({"total_count": len(found), "incomplete_results": incomplete, "items": page})


def _json(value: object) -> Reply:
    return Reply(body=json.dumps(value).encode())


def _matches(found: FakeRepository, query: str) -> bool:
    stars = _range(query, "stars")
    topic = re.search(r"topic:(\S+)", query)
    return (
        (stars is None or stars[0] <= found.stars <= stars[1])
        and (topic is None or topic[1] == found.topic)
        and ("fork:false" not in query or not found.fork)
    )


@cache
def _range(query: str, qualifier: str) -> tuple[int, int] | None:
    found = re.search(rf"{qualifier}:(\S+?)\.\.(\S+)", query)
    return (int(found[1]), int(found[2])) if found else None


@contextmanager
def serving(state: FakeGitHub) -> Iterator[FakeGitHub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            state.authorizations.append(self.headers.get("authorization", ""))
            reply = state.replies.popleft() if state.replies else state.answer(self.path)
            self.send_response(reply.status)
            for name, value in (state.headers(self.path) | reply.headers).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])

        def log_message(self, format: str, *args: object) -> None:
            pass

    with listening(Handler) as state.port:
        yield state
