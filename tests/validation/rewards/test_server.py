"""The server: limits, order and refusals. A stand-in judges, so that each test takes no time."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.validation.rewards.serving import TOKEN, Served, serving
from tests.waiting import DEADLINE, wait_for
from validation.rewards import server as server_module
from validation.rewards.answer import RewardAnswer
from validation.rewards.client import Client, ServiceError, UnixConnection
from validation.rewards.question import JudgeQuestion
from validation.rewards.server import RewardServer, UnixServer

BEARER = {"Authorization": f"Bearer {TOKEN}"}


def asking(code: str = "kernel") -> dict[str, str]:
    return {"reference": "words", "triton_code": code, "tier": "fast"}


def is_waiting(served: Served, count: int) -> bool:
    return served.work.waiting == count


class Stage:
    """A judge that waits for `open`, and answers with the kernel's own text."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun: list[str] = []

    def __call__(self, question: JudgeQuestion) -> RewardAnswer:
        self.begun.append(question.triton_code)
        assert self.open.wait(DEADLINE)
        return RewardAnswer("passed", 1.0, question.triton_code)


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def served(stage: Stage) -> Iterator[Served]:
    with serving(stage, threads=2, places=4) as made:
        yield made
        stage.open.set()


def send(
    served: Served, body: bytes, method: str = "POST", path: str = "/reward", **headers: str
) -> tuple[int, Any, Any]:
    connection = UnixConnection(served.address.removeprefix("unix:"), 60)
    given = BEARER | {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, given)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, response.headers, json.loads(text or b"null")


def test_answers_come_in_the_order_of_the_batch(served: Served, stage: Stage) -> None:
    stage.open.set()

    answers = served.client(batch=3).ask_all([asking(f"kernel {n}") for n in range(7)])

    assert [answer.message for answer in answers] == [f"kernel {n}" for n in range(7)]


def test_a_malformed_request_of_a_batch_costs_only_itself(served: Served, stage: Stage) -> None:
    stage.open.set()

    first, bad, last = served.client().ask_all([asking("a"), {"tier": "fast"}, asking("b")])

    assert (first.message, last.message) == ("a", "b")
    assert (bad.verdict, bad.reward) == (None, None)
    assert "triton_code is missing" in bad.message


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "no JSON"),
        (b"[" * 100_000, 400, "nested"),
        (b"\xff", 400, "no JSON"),
        (b'{"triton_code": 1}', 400, "triton_code is missing"),
        (json.dumps([asking()] * 5).encode(), 413, "at most 4 requests"),
    ],
)
def test_a_malformed_body_gets_a_sentence(
    served: Served, body: bytes, status: int, words: str
) -> None:
    got, _, answer = send(served, body)

    assert (got, words in answer["error"]) == (status, True), answer


def test_a_body_beyond_the_limit_is_refused(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "BODY_MOST", 1 << 20)

    status, _, _ = send(served, b" " * (3 << 20))
    unsized, _, _ = send(served, b"", Content_Length="-1")

    assert (status, unsized) == (413, 411)


@pytest.mark.parametrize("token", ["", "wrong", "correct horse battery stapl\xe9", f"{TOKEN}x"])
def test_without_the_token_only_the_health_is_told(served: Served, token: str) -> None:
    header = {"Authorization": f"Bearer {token}"}

    assert send(served, b"[]", **header)[0] == 401
    assert send(served, b"", "GET", "/metrics", **header)[0] == 401
    assert send(served, b"", "GET", "/healthz", **header)[0] == 200


def test_a_full_queue_says_when_to_come_back_and_loses_nothing(
    served: Served, stage: Stage
) -> None:
    waiting = [
        threading.Thread(target=served.client().ask_all, args=([asking()] * 3,)) for _ in range(2)
    ]
    for number, thread in enumerate(waiting, 1):
        thread.start()
        wait_for("all are taken", partial(is_waiting, served, 3 * number - 2))

    status, headers, answer = send(served, json.dumps(asking("late")).encode())
    assert status == 429
    assert 1 <= int(headers["Retry-After"]) <= 60
    assert answer["error"].startswith("The queue is full")

    late: list[RewardAnswer] = []
    patient = served.client(patience=60)
    thread = threading.Thread(target=lambda: late.extend(patient.ask_all([asking("late")])))
    thread.start()
    stage.open.set()
    for each in (*waiting, thread):
        each.join(60)
    assert [one.message for one in late] == ["late"]
    assert len(stage.begun) == 7


def test_a_client_that_goes_away_drops_its_work(served: Served, stage: Stage) -> None:
    blockers = threading.Thread(target=served.client().ask_all, args=([asking("stays")] * 2,))
    blockers.start()
    wait_for("both are begun", lambda: len(stage.begun) == 2)
    connection = UnixConnection(served.address.removeprefix("unix:"), 60)
    connection.request("POST", "/reward", json.dumps([asking("leaves")] * 3).encode(), BEARER)
    wait_for("its work waits", lambda: served.work.waiting == 3)

    connection.close()

    wait_for("its work is dropped", lambda: served.work.waiting == 0)
    stage.open.set()
    blockers.join(60)
    assert stage.begun == ["stays", "stays"]
    assert "reward_dropped 3.0" in served.client().metrics()


def test_a_sick_service_refuses_work_and_says_why(served: Served) -> None:
    served.health.sick = "The GPU no longer computes."

    assert not served.client().is_healthy()
    with pytest.raises(ServiceError, match="no longer computes"):
        served.client(patience=60).ask("words", "kernel")


def test_too_many_connections_are_refused_at_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "CONNECTIONS", 1)
    with serving(stage) as served:
        idle = socket.socket(socket.AF_UNIX)
        idle.connect(served.address.removeprefix("unix:"))
        wait_for("its place is taken", lambda: not served.client().is_healthy())
        idle.close()
        wait_for("its place is free", served.client().is_healthy)


def test_a_port_is_of_the_loopback_address(served: Served) -> None:
    with RewardServer(0, served.service) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        host, port = server.server_address[:2]
        client = Client(f"http://{host!s}:{port}", TOKEN)

        assert client.is_healthy()
        assert client.ask_all([]) == []
        server.shutdown()
    assert host == "127.0.0.1"


def test_a_socket_is_its_owners_and_a_left_one_is_replaced(served: Served, tmp_path: Path) -> None:
    path = Path(served.address.removeprefix("unix:"))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError, match="in use"):
        UnixServer(path, served.service)

    left = path.with_name("left")
    with socket.socket(socket.AF_UNIX) as earlier:
        earlier.bind(str(left))
    UnixServer(left, served.service).server_close()
    assert not left.exists()


def test_an_unreachable_service_is_an_error_for_the_trainer(tmp_path: Path) -> None:
    client = Client(f"unix:{tmp_path}/none", patience=0)

    assert not client.is_healthy()
    with pytest.raises(ServiceError, match="No service at"):
        client.ask("words", "kernel")
    with pytest.raises(ServiceError, match="neither"):
        Client("ftp://somewhere").ask("words", "kernel")


def test_an_unknown_path_is_not_found(served: Served) -> None:
    assert send(served, b"[]", path="/other")[0] == 404
    assert send(served, b"", "GET", "/reward")[0] == http.client.NOT_FOUND
