"""What `up` does not start on: one sentence, exit 1, nothing left running."""

import fcntl
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from curation.operations import leftovers
from curation.settings import env_redis_url
from tests.curation.operations.house import free_port, manage


def sentence(data: Path, *arguments: str, **variables: str) -> str:
    """What `up` said when it refused."""
    refused = manage(data, "up", *arguments, **variables)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    assert "Starting" not in refused.stdout
    assert "Traceback" not in refused.stderr
    assert not leftovers.find(data)
    return refused.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "words"),
    [
        ((), {"CURATION_DATA": "/dev/null/data"}, "folder /dev/null/data can't be written to"),
        (
            (),
            {"CURATION_DATA": "/dev/null/data", "SECRET_KEY": "x"},
            "folder /dev/null/data can't be written to",
        ),
        (("--port", "eighty"), {}, "'eighty' is not a port"),
        ((), {"REDIS_URL": "redis://127.0.0.1:6379/0"}, "a Redis on TCP without a password"),
        ((), {"REDIS_URL": "rediss://user@redis.example.org"}, "on loopback any user of this"),
    ],
)
def test_up_refuses_an_unfit_setting(
    tmp_path: Path, arguments: tuple[str, ...], variables: dict[str, str], words: str
) -> None:
    assert words in sentence(tmp_path, *arguments, **variables)


def test_up_refuses_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = sentence(tmp_path, "--port", str(port))

    assert f"Port {port} on 127.0.0.1 can't be used (Address already in use)" in said


def test_up_refuses_a_data_folder_that_another_up_uses(tmp_path: Path) -> None:
    with (tmp_path / "up.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("4711\n")
        lock.flush()

        said = sentence(tmp_path)

    assert f"`up` runs already on the data folder {tmp_path} (process 4711)" in said


@pytest.mark.slow
def test_up_refuses_a_database_newer_than_the_code(
    tmp_path: Path, copy_of_prepared: Callable[[Path], Path]
) -> None:
    data = copy_of_prepared(tmp_path / "data")
    with closing(sqlite3.connect(data / "curation.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('curation', '9999_of_tomorrow', '2030-01-01')"
        )

    said = sentence(data, "--port", str(free_port()))

    assert "newer than this code: it has the migration curation.9999_of_tomorrow" in said


@pytest.mark.slow
def test_up_refuses_an_unreachable_database(tmp_path: Path) -> None:
    url = f"postgres://curation@127.0.0.1:{free_port()}/curation"

    said = sentence(tmp_path, "--port", str(free_port()), DATABASE_URL=url)

    assert said.startswith("The database can't be reached")


@pytest.mark.slow
def test_up_refuses_an_unreachable_redis(tmp_path: Path) -> None:
    port = free_port()

    said = sentence(
        tmp_path, "--port", str(free_port()), REDIS_URL=f"redis://:secret@127.0.0.1:{port}"
    )

    assert said.startswith(f"Redis at 127.0.0.1:{port} can't be used")
    assert "secret" not in said


@pytest.mark.slow
@pytest.mark.parametrize("command", ["rqworker", "scheduler", "check"])
def test_no_command_starts_with_a_redis_on_tcp_without_a_password(
    tmp_path: Path, copy_of_prepared: Callable[[Path], Path], command: str
) -> None:
    data = copy_of_prepared(tmp_path / "data")

    refused = manage(data, command, REDIS_URL="redis://127.0.0.1:1/0")

    assert refused.returncode == 1
    assert refused.stderr.startswith("REDIS_URL names a Redis on TCP without a password")


@pytest.mark.parametrize(
    "variables",
    [
        {"REDIS_URL": "redis://:secret@127.0.0.1:1/0"},
        {"REDIS_URL": "redis://127.0.0.1:1/0?password=secret"},
        {"REDIS_URL": "unix:///nowhere/redis.sock"},
        {"REDIS_URL": "redis://127.0.0.1:1/0", "REDIS_WITHOUT_PASSWORD": "1"},
    ],
)
def test_a_redis_with_a_password_socket_or_explicit_permission_is_accepted(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert env_redis_url() == variables["REDIS_URL"]
