"""A PostgreSQL of one's own on loopback, thrown away afterwards; it can be killed and started."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.init import MARK
from tests.curation.operations.house import free_port


class Cluster:
    def __init__(self, folder: Path, binaries: Path) -> None:
        self._data, self._binaries = folder / "data", binaries
        self._log = folder / "log"
        self.port = free_port()
        self._run("initdb", "-D", self._data, "-U", "postgres", "--auth=trust")

    def url(self, database: str = "postgres") -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def start(self) -> bool:
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self._data.parent}"
        done = self._run(
            "pg_ctl", "-D", self._data, "-w", "-l", self._log, "-o", options, "start", check=False
        )
        return done.returncode == 0

    def start_again(self) -> None:
        """After a kill: not before the last orphan has let go of the memory that all share."""
        while not self.start():
            time.sleep(0.2)

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop", check=False)

    def kill(self) -> None:
        os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def create(self, database: str) -> str:
        self._run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", database)
        return self.url(database)

    def _run(
        self, command: str, *arguments: object, check: bool = True
    ) -> "subprocess.CompletedProcess[bytes]":
        # PostgreSQL refuses to run as root.
        somebody = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        return subprocess.run(
            [*somebody, str(self._binaries / command), *map(str, arguments)],
            cwd="/",
            # What carries the mark of a test is ended as a part of it.
            env={name: value for name, value in os.environ.items() if name != MARK},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=check,
        )


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    (binaries,) = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]
    folder.mkdir(parents=True)
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    made = Cluster(folder, binaries)
    made.start_again()
    try:
        yield made
    finally:
        made.stop()
