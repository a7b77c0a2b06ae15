"""Client of GitHub's REST API, one polite request at a time.

It waits as long as GitHub asks and reports that. It retries failures that are not ours. It sends
the token only to the host that the token belongs to.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from ingest.github.errors import (
    GitHubUnavailable,
    RateLimited,
    RequestRefused,
    TokenRefused,
    UnexpectedAnswer,
)
from ingest.github.rate_limit import refused_for, until_reset

API = "https://api.github.com"
ATTEMPTS = 5
REDIRECTS = 3
LARGEST_ANSWER = 20_000_000
_GONE = frozenset({404, 410, 451})
_MOVED = frozenset({301, 302, 307, 308})


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait before it begins."""

    seconds: float
    reason: str


def in_silence(_waiting: Waiting) -> None:
    """Ignore waits."""


@dataclass(slots=True)
class GitHubClient:
    """A client for one API address. `sleep` and `clock` are parameters for tests."""

    token: str = field(default="", repr=False)
    base_url: str = API
    on_wait: Callable[[Waiting], None] = in_silence
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    timeout_seconds: float = 30.0
    longest_wait_seconds: float = 3_700.0
    _granted_from: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise TokenRefused("The GitHub token contains characters that no token has.")

    def get(self, path: str, query: Mapping[str, str] | None = None) -> object | None:
        """Return the JSON at `path`, following moves; None if it is gone. Raises GitHubError."""
        url = self.base_url.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        for _ in range(REDIRECTS + 1):
            answer = self._persistently(url, path)
            if answer.status not in _MOVED:
                return answer.json if answer.status == 200 else None
            url = urljoin(url, answer.headers.get("location", ""))
            if urlsplit(url)[:2] != urlsplit(self.base_url)[:2]:
                raise UnexpectedAnswer(f"GitHub sends {path} to another host, which is not asked.")
        raise UnexpectedAnswer(f"GitHub sends {path} from address to address without end.")

    def _persistently(self, url: str, path: str) -> "_Answer":
        trouble = ""
        for attempt in range(ATTEMPTS):
            self._wait_until_granted(_resource(path))
            try:
                answer = self._once(url)
            except (OSError, HTTPException, _BrokenAnswer) as error:
                trouble = _reason(error)
            else:
                self._note_spent(_resource(path), answer)
                pause = refused_for(
                    answer.status, answer.headers, answer.message, attempt, self.clock()
                )
                if pause is not None:
                    if attempt == ATTEMPTS - 1:
                        raise RateLimited(
                            f"GitHub's rate limit for {path} is reached again and again."
                        )
                    self._wait(pause, f"GitHub's rate limit for {path} is reached")
                    continue
                if answer.status < 500:
                    return self._checked(answer, path)
                trouble = f"it answers with error {answer.status}"
            pause = 2.0**attempt
            if attempt == ATTEMPTS - 1 or pause > self.longest_wait_seconds:
                break
            self._wait(pause, f"GitHub failed on {path} ({trouble}), asking again")
        raise GitHubUnavailable(
            f"GitHub gave no usable answer to {path} in {attempt + 1} attempts: {trouble}."
        )

    def _once(self, url: str) -> "_Answer":
        headers = {
            "accept": "application/vnd.github+json",
            "user-agent": "triton-kernel-curation",
            "x-github-api-version": "2022-11-28",
        }
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        request = Request(url, headers=headers)  # noqa: S310 - the caller's own base URL
        try:
            with _OPENER.open(request, timeout=self.timeout_seconds) as response:
                status, headers, body = _received(
                    response, response.status, response.headers.items()
                )
        except HTTPError as refusal:
            with refusal:
                status, headers, body = _received(refusal, refusal.code, refusal.headers.items())
        return _Answer(status, headers, _decoded(status, body))

    def _checked(self, answer: "_Answer", path: str) -> "_Answer":
        if answer.status == 200 or answer.status in _GONE | _MOVED:
            return answer
        if answer.status == 401:
            raise TokenRefused(
                "GitHub refuses the token; set a valid one."
                if self.token
                else f"GitHub answers {path} only with a token; set one."
            )
        detail = f": {answer.message[:200]}" if answer.message else ""
        raise RequestRefused(f"GitHub refuses {path} with {answer.status}{detail}.")

    def _note_spent(self, resource: str, answer: "_Answer") -> None:
        pause = until_reset(answer.headers, self.clock())
        if pause is not None and answer.status not in {403, 429}:
            self._granted_from[resource] = self.clock() + pause

    def _wait_until_granted(self, resource: str) -> None:
        moment = self._granted_from.pop(resource, 0.0)
        if moment > self.clock():
            self._wait(moment - self.clock(), f"GitHub's rate limit for {resource} is used up")

    def _wait(self, seconds: float, reason: str) -> None:
        if seconds > self.longest_wait_seconds:
            raise RateLimited(
                f"{reason}; it asks to wait {seconds:.0f} seconds, more than the "
                f"{self.longest_wait_seconds:.0f} allowed. Try again later, or set a token."
            )
        self.on_wait(Waiting(seconds, reason))
        self.sleep(seconds)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    json: object

    @property
    def message(self) -> str:
        found = self.json.get("message") if isinstance(self.json, dict) else ""
        text = found if isinstance(found, str) else ""
        return "".join(c for c in text if c.isprintable())


class _BrokenAnswer(Exception):
    """The body is cut off, or is not JSON."""


class _NoRedirects(HTTPRedirectHandler):
    # urllib would send the token to any host that the answer names.
    def redirect_request(self, *_: object) -> None:
        return None


_OPENER: OpenerDirector = build_opener(_NoRedirects)


def _received(
    response: IO[bytes], status: int, headers: Iterable[tuple[str, str]]
) -> tuple[int, dict[str, str], bytes]:
    fields = {name.lower(): value for name, value in headers}
    body = response.read(LARGEST_ANSWER + 1)
    if len(body) > LARGEST_ANSWER:
        raise UnexpectedAnswer(f"GitHub's answer is larger than {LARGEST_ANSWER} bytes.")
    length = fields.get("content-length", "")
    if length.isdigit() and len(body) != int(length):
        raise _BrokenAnswer("its answer is cut off")
    return status, fields, body


def _decoded(status: int, body: bytes) -> object:
    try:
        decoded: object = json.loads(body)
    except (ValueError, RecursionError):
        if status == 200:
            raise _BrokenAnswer("its answer is no JSON") from None
        return None
    return decoded


def _resource(path: str) -> str:
    """Return the rate-limit group: GitHub counts code search, other searches and all else apart."""
    return path if path.startswith("/search/") else "repositories"


def _reason(error: Exception) -> str:
    if isinstance(error, _BrokenAnswer):
        return str(error)
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return f"the connection failed ({type(error).__name__})"
