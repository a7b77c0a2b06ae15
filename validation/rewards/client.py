"""Client of the reward service. It imports only the standard library."""

import http.client
import json
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from validation.rewards.answer import RewardAnswer, Tier, read_answer

Request = Mapping[str, Any]
"""JSON object with `reference`, `triton_code` and `tier`, as the service expects it."""

BUSY = (429, 503)
# Seconds to wait before a retry if the service can't be reached.
PAUSE = 2.0


class ServiceError(Exception):
    """The service refused a request, or can't be reached. The message says why."""


class Client:
    """Client of a service at `unix:/path/of/socket` or `http://127.0.0.1:PORT`.

    timeout: seconds to wait for a batch.
    patience: seconds during which to retry if the queue is full or the service can't be reached.
    batch: requests to send together, at most the capacity of the service's queue.
    """

    def __init__(
        self, address: str, token: str = "", *, timeout: float = 600.0, patience: float = 600.0,
        batch: int = 32,
    ) -> None:  # fmt: skip
        self.address, self._token = address, token
        self._timeout, self._patience, self._batch = timeout, patience, batch

    def ask(
        self, reference: str | Mapping[str, Any], triton_code: str, tier: str = Tier.FULL
    ) -> RewardAnswer:
        """Return the answer to one request."""
        request = {"reference": reference, "triton_code": triton_code, "tier": str(tier)}
        return self.ask_all([request])[0]

    def ask_all(self, requests: Sequence[Request]) -> list[RewardAnswer]:
        """Return the answers in the order of the requests, or raise ServiceError."""
        answers: list[RewardAnswer] = []
        for start in range(0, len(requests), self._batch):
            batch = list(requests[start : start + self._batch])
            made = self._post_patiently(json.dumps(batch).encode())
            try:
                answers += [read_answer(record) for record in made]
            except (LookupError, TypeError) as error:
                raise ServiceError(f"The service's answer can't be read: {error!r}.") from None
        if len(answers) != len(requests):
            raise ServiceError("The service answered another number of requests.")
        return answers

    def metrics(self) -> str:
        status, _, body = self._send("GET", "/metrics")
        if status != http.HTTPStatus.OK:
            raise ServiceError(_reason(status, body))
        return body.decode()

    def is_healthy(self) -> bool:
        try:
            return self._send("GET", "/healthz")[0] == http.HTTPStatus.OK
        except OSError:
            return False

    def _post_patiently(self, body: bytes) -> list[Any]:
        """Send requests. Retry within `patience`, because a restarting service loses its queue."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                status, headers, answer = self._send("POST", "/reward", body)
            except TimeoutError:
                raise ServiceError(f"No answer after {self._timeout:g} s.") from None
            except (OSError, http.client.HTTPException) as error:
                reason, pause = f"No service at {self.address}: {error}", PAUSE
            else:
                if status == http.HTTPStatus.OK:
                    return list(json.loads(answer))
                reason = _reason(status, answer)
                if status not in BUSY or not (wait := headers.get("Retry-After", "")).isdigit():
                    raise ServiceError(reason)
                pause = float(wait)
            if time.monotonic() + pause > deadline:
                raise ServiceError(reason)
            time.sleep(pause)

    def _send(self, method: str, path: str, body: bytes = b"") -> tuple[int, Any, bytes]:
        connection = _connection(self.address, self._timeout)
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request(method, path, body or None, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()


class UnixConnection(http.client.HTTPConnection):
    """HTTP connection over a UNIX socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connection(address: str, timeout: float) -> http.client.HTTPConnection:
    if address.startswith("unix:"):
        return UnixConnection(address.removeprefix("unix:"), timeout)
    parts = urlsplit(address)
    if parts.scheme != "http" or not parts.hostname:
        raise ServiceError(f"{address} is neither unix:PATH nor http://HOST:PORT.")
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)


def _reason(status: int, body: bytes) -> str:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, LookupError, TypeError):
        return f"The service answered with status {status}."
