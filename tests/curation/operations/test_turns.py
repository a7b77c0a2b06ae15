"""Who is served when by gunicorn's processes, as they are configured."""

import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest
from django.conf import settings

from tests.curation.operations.house import get, gunicorn
from tests.waiting import DEADLINE

pytestmark = pytest.mark.slow

THREADS = 3
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def test_requests_are_spread_over_the_web_processes() -> None:
    with _served(processes=2) as port, ThreadPoolExecutor(20) as people:
        answers = list(people.map(lambda _: _asked(port, 0.05), range(200)))

    shares = Counter(answers)
    assert len(shares) == 2
    assert min(shares.values()) > 60


def test_a_waiting_request_does_not_block_others_while_threads_are_free() -> None:
    with _served(processes=1) as port, ThreadPoolExecutor(2) as people:
        slow = [people.submit(_asked, port, 5.0) for _ in range(2)]
        time.sleep(0.5)
        began = time.monotonic()
        _asked(port)

        assert not any(each.done() for each in slow)
        assert time.monotonic() - began < 4
        assert len({each.result() for each in slow}) == 1


@pytest.mark.parametrize("said", [b"", REQUEST], ids=["saying nothing", "answered already"])
def test_idle_connections_do_not_block_other_requests(said: bytes) -> None:
    with _served(processes=1) as port:
        staying = [socket.create_connection(("127.0.0.1", port), 20) for _ in range(4 * THREADS)]
        for each in staying if said else ():
            each.sendall(said)
            assert each.recv(100).startswith(b"HTTP/1.1 200 OK")
        began = time.monotonic()
        _asked(port)

        assert time.monotonic() - began < 4
        for each in staying:
            each.close()


def test_a_connection_with_a_late_request_is_served() -> None:
    with _served(processes=1) as port, socket.create_connection(("127.0.0.1", port)) as late:
        time.sleep(1)
        late.sendall(REQUEST)
        late.settimeout(DEADLINE)

        assert late.recv(100).startswith(b"HTTP/1.1 200 OK")


def test_a_silent_connection_does_not_delay_the_server_shutdown() -> None:
    with _served(processes=1) as port, socket.create_connection(("127.0.0.1", port)):
        _asked(port)
        began = time.monotonic()

    assert time.monotonic() - began < 8


def _served(processes: int) -> AbstractContextManager[int]:
    variables = {"WEB_CONCURRENCY": str(processes), "WEB_THREADS": str(THREADS)}
    site = "tests.curation.operations.taking_turns"
    return gunicorn(settings.DATA_DIR, variables, site, path="/0")


def _asked(port: int, seconds: float = 0) -> bytes:
    return get(port, f"/{seconds}")[1]
