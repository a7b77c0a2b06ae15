"""Simulated browsers of reviewers, and the times and errors that they collect."""

import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

VERSION = re.compile(r'name="version" value="(\d+)"')
FORGERY = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass
class Took:
    """Milliseconds by the clock and, for machines that others use too, of the processor: our own,
    and of PostgreSQL's process for us where it runs here."""

    clock: float = 0
    processor: float = 0

    @classmethod
    @contextmanager
    def measured(cls) -> Iterator["Took"]:
        took, began = cls(), (time.perf_counter(), time.process_time() + _of_the_database())
        yield took
        took.clock = 1000 * (time.perf_counter() - began[0])
        took.processor = 1000 * (time.process_time() + _of_the_database() - began[1])


def _of_the_database() -> float:
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0
    connection.ensure_connection()
    spent = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(spent.read_text().split()[0]) / 1e9 if spent.exists() else 0


@dataclass
class Seen:
    """Times and errors of all reviewers together."""

    times: list[Took] = field(default_factory=list)
    given: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    acknowledged: set[str] = field(default_factory=set)
    errors: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Browser:
    """Keeps its connection and its cookies; what a broken connection lost is sent again."""

    def __init__(self, port: int, session: str, seen: Seen) -> None:
        self._port, self._seen = port, seen
        self._cookies = {"sessionid": session}
        self._kept: tuple[str, str] | None = None
        self._connection = HTTPConnection("127.0.0.1", port, timeout=30)

    def follow(self, url: str) -> str:
        code, location, _ = self._ask("GET", url)
        return location if code == 302 else ""

    def get(self, url: str, keep: bool = False) -> str:
        if self._kept and self._kept[0] == url:
            page = self._kept[1]
            if not keep:
                self._kept = None
            return page
        _, _, page = self._ask("GET", url)
        if keep:
            self._kept = (url, page)
        return page

    def post(self, url: str, token: str, form: dict[str, str]) -> str | None:
        body = urlencode({**form, "csrfmiddlewaretoken": token})
        code, location, page = self._ask("POST", url, body)
        if code == 200 and location:
            # As a page's script has it: what comes next stands in the answer.
            self._kept = (location, page)
        elif code != 302:
            with self._seen.lock:
                self._seen.errors[f"{code} for a decision"] += 1
            return None
        return location

    def _ask(self, method: str, url: str, body: str | None = None) -> tuple[int, str, str]:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self._cookies.items())}
        if body is not None:
            headers["X-Swap"] = "1"
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        while True:
            try:
                self._connection.request(method, url, body, headers)
                answer = self._connection.getresponse()
                text = answer.read().decode()
            except (OSError, HTTPException):
                # The server was killed: the same wish is sent again once it is back.
                self._connection.close()
                time.sleep(0.05)
                continue
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                key, _, value = cookie.split(";")[0].partition("=")
                self._cookies[key] = value
            if answer.status >= 500:
                with self._seen.lock:
                    self._seen.errors[f"{answer.status}"] += 1
            address = answer.headers.get("X-Address") or answer.headers.get("Location") or ""
            return answer.status, address, text
