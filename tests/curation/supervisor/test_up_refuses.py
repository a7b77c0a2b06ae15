"""What `up` does not start on: one sentence, exit 1, nothing left running."""

import fcntl
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from curation.supervisor import leftovers
from tests.curation.supervisor.house import free_port, manage


def sentence(data: Path, *arguments: str, **variables: str) -> str:
    """What `up` said when it refused."""
    refused = manage(data, "up", *arguments, **variables)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    assert "Starting" not in refused.stdout
    assert "Traceback" not in refused.stderr
    assert not leftovers.find(data)
    return refused.stderr


def test_a_folder_that_cannot_be_written_to() -> None:
    data = Path("/dev/null/data")

    assert "The data folder /dev/null/data can't be written to" in sentence(data)
    assert "The data folder /dev/null/data can't be written to" in sentence(data, SECRET_KEY="x")


def test_what_is_no_port(tmp_path: Path) -> None:
    assert "'eighty' is no port" in sentence(tmp_path, "--port", "eighty")


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = sentence(tmp_path, "--port", str(port))

    assert f"Port {port} on 127.0.0.1 can't be used (Address already in use)" in said


def test_a_second_up_on_the_same_folder(tmp_path: Path) -> None:
    with (tmp_path / "up.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("4711\n")
        lock.flush()

        said = sentence(tmp_path)

    assert f"`up` runs already on the data folder {tmp_path} (process 4711)" in said


def test_a_database_newer_than_the_code(
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


def test_a_database_that_is_away(tmp_path: Path) -> None:
    url = f"postgres://curation@127.0.0.1:{free_port()}/curation"

    said = sentence(tmp_path, "--port", str(free_port()), DATABASE_URL=url)

    assert said.startswith("The database can't be reached")


def test_a_named_redis_that_is_away(tmp_path: Path) -> None:
    port = free_port()

    said = sentence(
        tmp_path, "--port", str(free_port()), REDIS_URL=f"redis://:secret@127.0.0.1:{port}"
    )

    assert said.startswith(f"Redis at 127.0.0.1:{port} can't be used")
    assert "secret" not in said
