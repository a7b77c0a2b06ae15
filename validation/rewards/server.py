"""HTTP server of rewards, on a UNIX socket or a loopback port.

Connection threads read requests and write answers. The judge's threads take requests from a bounded
queue.
"""

import hmac
import json
import select
import socket
import socketserver
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

from prometheus_client import CONTENT_TYPE_LATEST

from validation.harness.sandbox.hostile_json import UnreadableJson, read_json
from validation.rewards.answer import RewardAnswer, not_judged
from validation.rewards.metrics import Metrics
from validation.rewards.question import JudgeQuestion, JudgeReference, Malformed, read_question
from validation.rewards.work import Full, Job, WorkQueue

BODY_MOST = 8 << 20
# Maximum bytes to read and discard: a client reads a refusal only after sending its request.
THROWN_AWAY = 32 << 20
CONNECTIONS = 256
# Seconds without data after which a request is abandoned.
PATIENCE = 30.0
BEAT = 0.25
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


class RefusedRequest(Exception):
    """The request is refused; the exception has the HTTP status and a message."""

    def __init__(self, status: HTTPStatus, words: str, **headers: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class HealthSource(Protocol):
    sick: str


class Service:
    """Data for all handlers. `token`: the token that clients must send, or empty for none."""

    def __init__(
        self,
        work: WorkQueue,
        known: Mapping[str, JudgeReference],
        metrics: Metrics,
        health: HealthSource,
        token: str = "",
    ) -> None:
        self.work, self.known, self.metrics, self.health = work, known, metrics, health
        self._token = token.encode()

    def allows(self, header: str) -> bool:
        scheme, _, shown = header.partition(" ")
        right = hmac.compare_digest(shown.strip().encode(errors="replace"), self._token)
        return not self._token or (scheme.lower() == "bearer" and right)

    def read(self, record: Any) -> JudgeQuestion | Malformed:
        try:
            return read_question(record, self.known)
        except Malformed as malformed:
            return malformed

    def submit(self, questions: Sequence[JudgeQuestion]) -> list[Job]:
        if len(questions) > self.work.most:
            words = f"A batch has at most {self.work.most} requests: those are the queue's places."
            raise RefusedRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)
        if self.health.sick:
            raise RefusedRequest(HTTPStatus.SERVICE_UNAVAILABLE, self.health.sick)
        try:
            return self.work.submit(questions)
        except Full as full:
            status = HTTPStatus.TOO_MANY_REQUESTS
            raise RefusedRequest(status, str(full), Retry_After=str(full.seconds)) from None


class Handler(BaseHTTPRequestHandler):
    """Handler of a connection with one request."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "rewards", ""
    timeout = PATIENCE
    server: "RewardServer | UnixServer"

    def do_GET(self) -> None:
        self._guarded(self._get)

    def do_POST(self) -> None:
        self._guarded(self._post)

    def _guarded(self, respond: Any) -> None:
        # Serve one request per connection, because a check takes much longer than a new connection.
        self.close_connection = True
        try:
            respond()
        except RefusedRequest as refused:
            self.server.service.metrics.refused.labels(str(refused.status.value)).inc()
            body = json.dumps({"error": refused.words}).encode()
            self._send(refused.status, body, **refused.headers)
        except (ConnectionError, TimeoutError):
            # The client closed the connection.
            return

    def _get(self) -> None:
        service = self.server.service
        if self.path == "/healthz":
            status = HTTPStatus.SERVICE_UNAVAILABLE if service.health.sick else HTTPStatus.OK
            self._send_json(status, {"ok": not service.health.sick, "reason": service.health.sick})
        elif self.path == "/metrics":
            self._check_token()
            self._send(HTTPStatus.OK, service.metrics.text(), CONTENT_TYPE_LATEST)
        else:
            raise RefusedRequest(HTTPStatus.NOT_FOUND, "There are /reward, /metrics and /healthz.")

    def _post(self) -> None:
        if self.path != "/reward":
            self._throw_away()
            raise RefusedRequest(HTTPStatus.NOT_FOUND, "Requests go to /reward.")
        try:
            self._check_token()
        except RefusedRequest:
            self._throw_away()
            raise
        content = self._body()
        records = content if isinstance(content, list) else [content]
        read = [self.server.service.read(record) for record in records]
        if not isinstance(content, list) and isinstance(read[0], Malformed):
            raise RefusedRequest(HTTPStatus.BAD_REQUEST, str(read[0]))
        answers = self._answers(read)
        if answers is not None:
            made = [answer.as_dict() for answer in answers]
            self._send_json(HTTPStatus.OK, made if isinstance(content, list) else made[0])

    def _answers(self, read: Sequence[JudgeQuestion | Malformed]) -> list[RewardAnswer] | None:
        """Return the answers in the order of the requests, or None if the client disconnected."""
        service = self.server.service
        questions = [question for question in read if isinstance(question, JudgeQuestion)]
        jobs = service.submit(questions)
        for job in jobs:
            while not job.done.wait(BEAT):
                if self._is_client_gone():
                    service.work.drop(jobs)
                    return None
        for job in jobs:
            service.metrics.count(job.question.tier, job.answer)
        left = iter(jobs)
        return [
            next(left).answer if isinstance(question, JudgeQuestion) else not_judged(str(question))
            for question in read
        ]

    def _check_token(self) -> None:
        if not self.server.service.allows(self.headers.get("Authorization", "")):
            words = "Send the token as “Authorization: Bearer …”."
            raise RefusedRequest(HTTPStatus.UNAUTHORIZED, words, WWW_Authenticate="Bearer")

    def _body(self) -> Any:
        length = self._length()
        if length is None:
            raise RefusedRequest(HTTPStatus.LENGTH_REQUIRED, "Send a body with its Content-Length.")
        if length > BODY_MOST:
            self._throw_away()
            words = f"A body has at most {BODY_MOST >> 20} MiB."
            raise RefusedRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionResetError
        try:
            return read_json(body, BODY_MOST, verbatim=True)
        except UnreadableJson as error:
            raise RefusedRequest(
                HTTPStatus.BAD_REQUEST, f"The body can't be read: {error}."
            ) from None

    def _length(self) -> int | None:
        given = self.headers.get("Content-Length", "")
        return int(given) if given.isascii() and given.isdigit() and len(given) < 12 else None

    def _throw_away(self) -> None:
        left = min(self._length() or 0, THROWN_AWAY)
        while left > 0 and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)

    def _is_client_gone(self) -> bool:
        # Not `select`: it supports no descriptor above 1,023, and cached answers keep many open.
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        try:
            return bool(poll.poll(0)) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _send_json(self, status: HTTPStatus, value: Any) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(
        self, status: HTTPStatus, body: bytes, kind: str = "application/json", **headers: str
    ) -> None:
        self.send_response(status)
        every = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        for name, value in (every | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing, because metrics count the requests."""


class _Bounded(socketserver.ThreadingMixIn):
    """Server with a thread for each connection. It refuses connections above a limit at once."""

    daemon_threads = True
    service: Service

    def __init__(self, *arguments: Any, **more: Any) -> None:
        self._places = threading.BoundedSemaphore(CONNECTIONS)
        super().__init__(*arguments, **more)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.sendall(BUSY)
        self.shutdown_request(request)  # type: ignore[attr-defined]

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, *_: Any) -> None:
        """Ignore connections that break."""


class RewardServer(_Bounded, ThreadingHTTPServer):
    """Server on a loopback port."""

    request_queue_size = 128

    def __init__(self, port: int, service: Service) -> None:
        self.service = service
        super().__init__(("127.0.0.1", port), Handler)


class UnixServer(_Bounded, socketserver.UnixStreamServer):
    """Server on a UNIX socket that only its owner may use."""

    request_queue_size = 128

    def __init__(self, path: Path, service: Service) -> None:
        self.service = service
        super().__init__(str(path), Handler)

    def server_bind(self) -> None:
        path = Path(str(self.server_address))
        if path.is_socket() and not _is_served(path):
            path.unlink()
        super().server_bind()
        path.chmod(0o600)

    def server_close(self) -> None:
        super().server_close()
        Path(str(self.server_address)).unlink(missing_ok=True)


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
