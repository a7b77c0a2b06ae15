"""gunicorn as it is configured, and clients that mean no good."""

import socket
import time
from collections.abc import Iterator

import pytest

from tests.curation.operations.house import get, gunicorn
from tests.waiting import DEADLINE

pytestmark = pytest.mark.slow

THREADS = 2
SECONDS = 2


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    data = tmp_path_factory.mktemp("edge") / "data"
    (data / "static").mkdir(parents=True)
    variables = {
        "WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS), "CLIENT_SECONDS": str(SECONDS),
        "HTTPS": "0",
    }  # fmt: skip
    with gunicorn(data, variables) as chosen:
        yield chosen


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ",
        b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\nCookie: csrftoken="
        + b"c" * 32
        + b"\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=",
    ],
    ids=["in a header", "in a body"],
)
def test_silent_clients_do_not_block_other_requests_for_long(port: int, said: bytes) -> None:
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(4 * THREADS)]
    for each in silent:
        each.sendall(said)

    began = time.monotonic()
    try:
        assert get(port, "/api/v1/openapi.json")[0] == 200
    finally:
        for each in silent:
            each.close()
    # Each thread has four of them, one after the other.
    assert time.monotonic() - began < 4 * SECONDS + 10


@pytest.mark.parametrize("path", ["/login/", "/api/v1/next", "/metrics", "/nowhere"])
@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded"]
)
def test_a_gigabyte_request_is_refused_before_it_is_read(port: int, path: str, kind: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as client:
        client.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {1 << 30}\r\nCookie: csrftoken={'c' * 32}\r\n\r\n".encode()
        )

        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_request_that_is_not_valid_http_is_refused(port: int) -> None:
    for said in (
        b"\x16\x03\x01 no TLS here\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 500 + b"\r\n",
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as client:
            client.sendall(said)
            assert client.recv(100).startswith(b"HTTP/1.1 4")
