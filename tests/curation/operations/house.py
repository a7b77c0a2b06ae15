"""A real `manage.py up` in a data folder of its own, and the processes under it."""

import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings

from curation.operations import leftovers
from curation.operations.data_folder import redis_socket
from tests.waiting import DEADLINE, wait_for

PYTHON = Path(sys.executable)


def environment(data: Path, **more: str) -> dict[str, str]:
    """What a newcomer's shell has: none of the tests' own settings, no venv on the PATH."""
    of_tests = {"DATABASE_URL", "REDIS_URL", "HTTPS", "LOG_LEVEL"}
    of_tests |= {"DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    ours = {name: value for name, value in os.environ.items() if name not in of_tests}
    return {**ours, "PATH": os.defpath, "CURATION_DATA": str(data), **more}


def manage(
    data: Path, *arguments: str, python: Path | str = PYTHON, **more: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [python, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment(data, **more),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def marked(variable: str, value: str) -> list[int]:
    """Return every process that was started with this variable, however far it has strayed."""
    wanted = f"\0{variable}={value}\0".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in b"\0" + (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def get(port: int, path: str, seconds: float = DEADLINE) -> tuple[int, bytes]:
    """Return status and body of the answer, or 0 if nothing answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    with closing(connection):
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            return 0, b""


@contextmanager
def gunicorn(
    data: Path,
    variables: Mapping[str, str],
    application: str = "curation.wsgi",
    *,
    path: str = "/api/v1/openapi.json",
    log: Path = Path(os.devnull),
) -> Iterator[int]:
    """The web server as it is configured; it answers at `path` on the port that is yielded."""
    port = free_port()
    with log.open("wb") as output:
        web = subprocess.Popen(
            [PYTHON, "-m", "gunicorn", application, "--config", "curation/operations/gunicorn.py"],
            cwd=settings.BASE_DIR,
            env=environment(data, PORT=str(port), **variables),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for("gunicorn answers", lambda: get(port, path)[0])
        yield port
    finally:
        web.send_signal(signal.SIGTERM)
        web.wait(DEADLINE)


class House:
    """One `up`."""

    def __init__(
        self, data: Path, variables: Mapping[str, str], arguments: Sequence[str], python: Path | str
    ) -> None:
        self.data = data
        self.port = free_port()
        self.log = data.with_name(f"{data.name}-{self.port}.log")
        with self.log.open("wb") as log:
            self.popen = subprocess.Popen(
                [python, "manage.py", "up", "--port", str(self.port), *arguments],
                cwd=settings.BASE_DIR,
                env=environment(data, **variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def output(self) -> str:
        return self.log.read_text()

    def health(self) -> dict[str, Any] | None:
        """What `/healthz` says, or None while it is not well."""
        status, body = get(self.port, "/healthz", seconds=5)
        report: dict[str, Any] | None = json.loads(body) if status == 200 else None
        return report

    def wait_until_ready(self) -> None:
        def ready() -> bool:
            assert self.popen.poll() is None, self.output()
            return "The workbench runs at" in self.output() and bool(self.health())

        wait_for("up is ready", ready)

    def main_process(self, name: str) -> int:
        """The process that `up` itself started under this name, once there is one."""
        pid: int = wait_for(f"{name} runs", lambda: self._main_process(name))
        return pid

    def _main_process(self, name: str) -> int | None:
        for pid in leftovers.find(self.data, name):
            try:
                status = Path(f"/proc/{pid}/stat").read_text()
            except OSError:
                continue
            if int(status.rpartition(")")[2].split()[1]) == self.popen.pid:
                return pid
        return None

    def kill(self, name: str) -> int:
        pid = self.main_process(name)
        os.kill(pid, signal.SIGKILL)
        return pid

    def wait_for_successor(self, name: str, killed: int) -> int:
        def successor() -> int | None:
            pid = self._main_process(name)
            return pid if pid != killed else None

        pid: int = wait_for(f"{name} comes back", successor)
        return pid

    def stop(self) -> int:
        self.popen.send_signal(signal.SIGINT)
        return self.popen.wait(DEADLINE)

    def processes(self) -> list[int]:
        """Everything that works on this data folder."""
        return marked("CURATION_DATA", str(self.data))

    def rows(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self.data / "curation.sqlite3", timeout=DEADLINE)) as database:
            return database.execute(query).fetchall()


@contextmanager
def house(
    data: Path, *, arguments: Sequence[str] = (), python: Path | str = PYTHON, **variables: str
) -> Iterator[House]:
    """`up` on `data`, ready; nothing of it is left afterwards."""
    one = House(data, variables, arguments, python)
    try:
        one.wait_until_ready()
        yield one
    finally:
        if one.popen.poll() is None:
            one.popen.kill()
            one.popen.wait()
        for pid in one.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        listening_on = redis_socket(data)
        if listening_on.parent != data:
            shutil.rmtree(listening_on.parent)
