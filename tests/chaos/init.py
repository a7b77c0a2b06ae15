"""An init system in small: starts the Procfile's programs, and starts again what ended."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from tests.curation.operations.house import marked

MARK = "CURATION_CHAOS"


@dataclass(slots=True, eq=False)
class Service:
    """One process that is to run always; its children are found by their parent."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    popen: "subprocess.Popen[bytes] | None" = None
    starts: int = 0

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                self.arguments,
                cwd=settings.BASE_DIR,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.starts += 1

    def ended(self) -> bool:
        return self.popen is None or self.popen.poll() is not None

    def kill(self) -> bool:
        """The process alone: what it had started goes on without it."""
        return self.popen is not None and _killed(self.popen.pid)

    def kill_a_child(self) -> bool:
        return self.popen is not None and any(_killed(pid) for pid in children(self.popen.pid)[:1])


@dataclass(slots=True)
class Init:
    services: list[Service]
    pause: float = 1.0
    _stopped: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        for service in self.services:
            service.start()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self, mark: str) -> None:
        self._stopped.set()
        if self._thread:
            self._thread.join()
        for service in self.services:
            service.kill()
            if service.popen:
                service.popen.wait()
        for pid in marked(MARK, mark):
            _killed(pid)

    def _watch(self) -> None:
        while not self._stopped.wait(self.pause):
            for service in self.services:
                if service.ended():
                    service.start()


def children(pid: int) -> list[int]:
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.2)
    return False


def _killed(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
