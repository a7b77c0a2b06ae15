"""Sandbox side: one process with slow imports, which forks a child for each question.

`python -m SOME.WORKER FD PARALLEL DOMAIN …` reads a JSON line a question from its input and
writes a JSON line an answer to the open file FD. Each child has its own time, folder, process
group and Landlock domain, and can answer only its own question.
"""

import json
import os
import resource
import selectors
import shutil
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from validation.harness.sandbox import seal
from validation.harness.sandbox.seal import Domain

# The bound is processor time, so that a busy machine slows no question. Waiting ends later too.
PATIENCE = 4
# Additional time for ptxas and the second compile.
MARGIN = 5.0
MOST_SAID = 1 << 20
REQUESTS = 0

Answer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Child:
    key: int
    pid: int
    pipe: int
    folder: str
    until: float
    said: bytearray = field(default_factory=bytearray)


class Worker:
    def __init__(self, out: int, parallel: int, domain: Domain | None, answer: Answer) -> None:
        self._out = out
        self._domain = domain
        self._answer = answer
        self._parallel = parallel
        self._children: dict[int, Child] = {}
        self._waiting: deque[bytes] = deque()
        self._selector = selectors.DefaultSelector()

    def run(self, versions: dict[str, str]) -> None:
        self._tell(versions=versions)
        self._selector.register(REQUESTS, selectors.EVENT_READ)
        rest, more = b"", True
        while more or self._waiting or self._children:
            while self._waiting and len(self._children) < self._parallel:
                self._begin(json.loads(self._waiting.popleft()))
            if self._look():
                data = os.read(REQUESTS, 1 << 16)
                *lines, rest = (rest + data).split(b"\n")
                self._waiting.extend(lines)
                if not data:
                    more = False
                    self._selector.unregister(REQUESTS)

    def _begin(self, request: dict[str, Any]) -> None:
        reading, writing = os.pipe()
        folder = tempfile.mkdtemp()
        pid = os.fork()
        if not pid:
            os.close(reading)
            _be_child(request, writing, folder, self._domain, self._answer)
        os.close(writing)
        # Both sides do it: `_end` may run before the child does.
        with suppress(OSError):
            os.setpgid(pid, pid)
        until = time.monotonic() + PATIENCE * request["seconds"] + MARGIN
        self._children[reading] = Child(request["key"], pid, reading, folder, until)
        self._selector.register(reading, selectors.EVENT_READ)

    def _look(self) -> bool:
        """Wait for the next event. Return whether it is a request."""
        soonest = min((child.until for child in self._children.values()), default=None)
        wait = None if soonest is None else max(0.0, soonest - time.monotonic())
        ready = [key.fd for key, _ in self._selector.select(wait)]
        for fd in ready:
            if fd in self._children:
                child = self._children[fd]
                data = os.read(fd, 1 << 16)
                child.said += data
                if not data or len(child.said) > MOST_SAID:
                    self._end(child, timeout=False)
        for child in list(self._children.values()):
            if time.monotonic() >= child.until:
                self._end(child, timeout=True)
        return REQUESTS in ready

    def _end(self, child: Child, *, timeout: bool) -> None:
        self._selector.unregister(child.pipe)
        os.close(child.pipe)
        del self._children[child.pipe]
        os.killpg(child.pid, signal.SIGKILL)
        _, ended, used = os.wait4(child.pid, 0)
        # No process leaves its group, and orphans come here: this waits for all of them.
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-child.pid, 0)
        shutil.rmtree(child.folder, ignore_errors=True)
        status = os.waitstatus_to_exitcode(ended)
        self._tell(
            key=child.key,
            pid=child.pid,
            seconds=round(used.ru_utime + used.ru_stime, 3),
            timeout=timeout or status == -signal.SIGXCPU,
            status=status,
            said=child.said.decode(errors="replace"),
        )

    def _tell(self, **what: Any) -> None:
        line = (json.dumps(what) + "\n").encode()
        while line:
            line = line[os.write(self._out, line) :]


def _be_child(
    request: dict[str, Any], writing: int, folder: str, domain: Domain | None, answer: Answer
) -> None:
    """Prepare the child: its only open file is its own pipe."""
    empty = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(empty, fd)
    os.dup2(writing, 3)
    os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    # Native code writes its errors here.
    os.dup2(os.open(os.path.join(folder, "said"), os.O_RDWR | os.O_CREAT), 2)
    seconds = int(request["seconds"] + MARGIN)
    # The first limit ends it with a reason, the second ends it if it ignores the first.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    os.chdir(folder)
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ["HOME"] = folder
    seal.seal(domain, folder, programs=True)
    line = json.dumps(answer(request)).encode()
    while line:
        line = line[os.write(3, line) :]
    os._exit(0)


def serve(answer: Answer, versions: dict[str, str]) -> None:
    """Answer until the input ends. `answer` is called in a child."""
    seal.protect_parent()
    domain = json.loads(sys.argv[3])
    Worker(int(sys.argv[1]), int(sys.argv[2]), domain, answer).run(versions)
