"""Client of GitHub's REST API. It sends one request at a time.

The client waits as long as GitHub asks, and reports each wait. It retries after errors of the
network or the server. It sends the token only to the host of `base_url`.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from curation.errors import CurationError

ATTEMPTS = 5
REDIRECTS = 3
LARGEST_ANSWER = 20_000_000
# Wait after a refusal without a wait time. GitHub asks for a minute, and for more each time.
UNNAMED_WAIT_SECONDS = 60.0
_GONE = frozenset({404, 410, 451})
_MOVED = frozenset({301, 302, 307, 308})
_SPENT_WORDS = ("rate limit", "abuse detection")


class GitHubError(CurationError):
    """GitHub gave no usable answer. The message never contains the token."""


class UnexpectedAnswer(GitHubError):
    """The answer does not have the form that GitHub documents."""


@dataclass(slots=True)
class GitHubClient:
    """A client for one API address. Tests replace `sleep` and `clock`.

    on_wait: called before each wait, with its seconds and its reason.
    """

    token: str = field(default="", repr=False)
    base_url: str = "https://api.github.com"
    on_wait: Callable[[float, str], None] = lambda seconds, reason: None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    timeout_seconds: float = 30.0
    longest_wait_seconds: float = 3_700.0

    def __post_init__(self) -> None:
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise GitHubError("The GitHub token contains characters that no token has.")

    def get(self, path: str, query: Mapping[str, str] | None = None) -> object | None:
        """Return the JSON at `path`, after redirects, or None if it is gone. Raises GitHubError."""
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
        for attempt in range(ATTEMPTS):
            pause = 2.0**attempt
            try:
                answer = self._once(url)
            except (OSError, HTTPException, _BrokenAnswer) as error:
                trouble = _reason(error)
            else:
                limited = _seconds_to_wait(answer, attempt, self.clock())
                if limited is not None:
                    pause, trouble = limited, "its rate limit is reached"
                elif answer.status < 500:
                    return self._checked(answer, path)
                else:
                    trouble = f"it answers with error {answer.status}"
            if attempt < ATTEMPTS - 1:
                self._wait(pause, f"GitHub gives no answer to {path}: {trouble}")
        raise GitHubError(
            f"GitHub gave no usable answer to {path} in {ATTEMPTS} attempts: {trouble}."
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
                return _received(response, response.status, response.headers.items())
        except HTTPError as refusal:
            with refusal:
                return _received(refusal, refusal.code, refusal.headers.items())

    def _checked(self, answer: "_Answer", path: str) -> "_Answer":
        if answer.status == 200 or answer.status in _GONE | _MOVED:
            return answer
        if answer.status == 401:
            raise GitHubError(
                "GitHub refuses the token; set a valid one."
                if self.token
                else f"GitHub answers {path} only with a token; set one."
            )
        detail = f": {answer.message[:200]}" if answer.message else ""
        raise GitHubError(f"GitHub refuses {path} with {answer.status}{detail}.")

    def _wait(self, seconds: float, reason: str) -> None:
        if seconds > self.longest_wait_seconds:
            raise GitHubError(
                f"{reason}. To wait {seconds:.0f} seconds is more than the "
                f"{self.longest_wait_seconds:.0f} allowed. Try again later, or set a token."
            )
        self.on_wait(seconds, reason)
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
    """The body of the answer is cut off, or is not JSON."""


class _NoRedirects(HTTPRedirectHandler):
    # urllib would send the token to any host that a redirect names.
    def redirect_request(self, *_: object) -> None:
        return None


_OPENER: OpenerDirector = build_opener(_NoRedirects)


def _received(response: IO[bytes], status: int, headers: Iterable[tuple[str, str]]) -> _Answer:
    fields = {name.lower(): value for name, value in headers}
    body = response.read(LARGEST_ANSWER + 1)
    if len(body) > LARGEST_ANSWER:
        raise UnexpectedAnswer(f"GitHub's answer is larger than {LARGEST_ANSWER} bytes.")
    length = fields.get("content-length", "")
    if length.isdigit() and len(body) != int(length):
        raise _BrokenAnswer("its answer is cut off")
    decoded: object = None
    try:
        decoded = json.loads(body)
    except (ValueError, RecursionError):
        if status == 200:
            raise _BrokenAnswer("its answer is no JSON") from None
    return _Answer(status, fields, decoded)


def _reason(error: Exception) -> str:
    if isinstance(error, _BrokenAnswer):
        return str(error)
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return f"the connection failed ({type(error).__name__})"


def _seconds_to_wait(answer: _Answer, attempt: int, now: float) -> float | None:
    """Return the seconds to wait after a refusal, or None if the rate limit is not the cause."""
    if answer.status not in {403, 429}:
        return None
    named = answer.headers.get("retry-after", "")
    if named.isascii() and named.isdigit():
        return float(named)
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        # Use the time of GitHub's answer if it has one, because this machine's clock may be wrong.
        with suppress(TypeError, ValueError):
            now = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
        return max(float(reset) - now, 0.0) + 1.0
    if answer.status == 429 or any(word in answer.message.lower() for word in _SPENT_WORDS):
        return UNNAMED_WAIT_SECONDS * float(2**attempt)
    return None
