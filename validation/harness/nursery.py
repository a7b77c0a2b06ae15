"""A warm parent in its sandbox, and the children that it forks, as seen from the trusted side."""

import itertools
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from validation.harness.channel import (
    Blob,
    Channel,
    NotAParcel,
    memory_file,
    read_parcel,
    write_parcel,
)
from validation.sandbox import (
    Confinement,
    Level,
    Limits,
    ended_for_memory,
    half_of_memory,
    kill,
    probe,
    python_readable,
    start,
)
from validation.sandbox.neighbors import domain

PACKAGE = Path(__file__).resolve().parents[1]
NEEDED = ("torch", "triton", "pytest")
# Only the package can be read, not the folder that it stands in: that may hold the data.
BEGIN = """\
import gc, os, sys, types
# Nothing that is imported goes away again: looking for it takes a third of the time.
gc.disable()
sys.modules["validation"] = types.ModuleType("validation")
sys.modules["validation"].__path__ = [{package!r}]
from validation.harness.inside.parent import main
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.argv[:] = [""]
main({control}, {domain!r}, compiler={compiler})
"""
# Of all children together, and of each: a child that fills the first takes it from the others.
SCRATCH = 2 << 30
FOLDER = 256 << 20
FILE_SIZE = 2 << 30
# What torch and Triton map without using it.
OVERHEAD = 2 << 30
# Triton asks it where the driver's library is.
LDCONFIG = (Path("/usr/sbin/ldconfig"), Path("/usr/sbin/ldconfig.real"))
THREADS = {"interpreter": 32, "cuda": 512}
# Of one child, those that it started included: a compiler and its parts are a handful. A fork bomb
# is ended long before other children can't fork.
PROCESSES = 128
WARM_UP = 180.0
# A process that is killed closes its channel before its GPU's context, which takes a busy driver
# seconds, and is gone after that.
DYING_SECONDS = 10.0


class ChildEnded(Exception):
    """A child ended before it answered. `status` as a shell has it, None if it never began."""

    def __init__(self, status: int | None, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class ParentAway(Exception):
    """The process that forks all others could not warm up. The sentence says why, or has its last
    output."""


class DeadlinePassed(Exception):
    """A child did not answer in time, and was killed with all that it started."""


class Forged(Exception):
    """Something other than our own side wrote into the channel or the result."""


class Closed(Exception):
    """The whole run is being ended."""


@dataclass(frozen=True, slots=True)
class Answer:
    header: Any
    blobs: list[memoryview]
    seconds: float


class Nursery:
    """One warm parent. Restarted when it dies; what its children were doing is then lost."""

    def __init__(
        self, device: str, *, memory: int, cpu_seconds: int, level: Level | None, processes: int,
        compiler: bool = False,
    ) -> None:  # fmt: skip
        self.device, self.memory, self.cpu_seconds = device, memory, cpu_seconds
        self.processes = processes
        self.compiler = compiler
        self.level = level or probe().level
        self.hello: dict[str, str] = {}
        self._given_level = level
        self._numbers = itertools.count(1)
        self._children: dict[int, Child] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._process: Any = None
        self._channel: Channel | None = None
        self._warming: Channel | None = None
        self._noise: Any = None

    def begin(self) -> None:
        """Start warming up, if it has not; `open` waits for it."""
        with self._lock:
            self._begin()

    def open(self) -> None:
        with self._lock:
            self._begin()
            if self._warming is not None:
                self._greet(self._warming)

    def _begin(self) -> None:
        if self._closed:
            raise Closed
        if self._process is not None and self._process.poll() is None:
            return
        if absent := [name for name in NEEDED if find_spec(name) is None]:
            raise ParentAway(f"{sys.executable} has no {' and no '.join(absent)} to check with.")
        ours, theirs = Channel.pair()
        noise = tempfile.TemporaryFile()  # noqa: SIM115 - read only where the start fails
        script = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        confinement = self.confinement()
        begin = BEGIN.format(
            package=str(PACKAGE), control=theirs.socket.fileno(), compiler=self.compiler,
            domain=domain(confinement),
        )  # fmt: skip
        script.write(begin.encode())
        script.seek(0)
        self._process = start(
            # Its script comes on standard input: a command line is for everyone inside to read.
            [sys.executable, "-I", "-"],
            confinement,
            level=self._given_level,
            pass_fds=(theirs.socket.fileno(),),
            stdin=script,
            stderr=noise,
        )
        theirs.close()
        script.close()
        self._noise, self._channel, self._warming = noise, None, ours

    def _greet(self, ours: Channel) -> None:
        try:
            received = ours.receive(WARM_UP)
        except (OSError, NotAParcel):
            received = None
        header: dict[str, Any] = {"away": "The sandboxed parent did not start."}
        if received:
            header = received[0]
        if "away" in header:
            kill(self._process)
            self._noise.seek(0)
            said = self._noise.read()[-2000:].decode(errors="replace").strip()
            raise ParentAway(header["away"] + (f" It said: {said}" if said else ""))
        ours.socket.settimeout(None)
        self.hello = header["hello"]
        self._channel, self._warming = ours, None
        threading.Thread(target=self._listen, args=(ours, self._process), daemon=True).start()

    def confinement(self) -> Confinement:
        """Return the confinement of its processes."""
        environment = {
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "TRITON_DEFAULT_FP_FUSION": "1",
            "CUDA_MODULE_LOADING": "LAZY",
            # No pool of processes in a process that may be gone at any time.
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            # Asking whether there is a GPU must not make a context in the parent.
            "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
            "PATH": os.environ.get("PATH", "/usr/bin:/bin")
            if self.device == "cuda"
            else "/usr/bin",
        }
        if self.device == "cuda":
            for name in ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME"):
                if name in os.environ:
                    environment[name] = os.environ[name]
        else:
            environment |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
            # Freed memory is overwritten: what is allocated next finds no data in it.
            environment["MALLOC_PERTURB_"] = "165"
        return Confinement(
            readable=(
                *python_readable(), PACKAGE, *(path for path in LDCONFIG if path.exists()),
            ),
            limits=Limits(
                memory=None,
                group_memory=self.memory,
                tree_memory=half_of_memory(),
                cpu_seconds=10**6,
                processes=self.processes,
                file_size=FILE_SIZE,
                open_files=4096,
            ),
            scratch=SCRATCH,
            gpu=self.device == "cuda",
            env=environment,
        )  # fmt: skip

    def _listen(self, channel: Channel, process: subprocess.Popen[bytes]) -> None:
        while True:
            try:
                received = channel.receive()
            except (OSError, NotAParcel):
                received = None
            if received is None:
                break
            message = received[0]
            if message["status"] == -signal.SIGKILL and not message["why"]:
                message["why"] = "memory" if ended_for_memory(process, message["pid"]) else ""
            child = self._children.pop(message["exited"], None)
            if child is not None:
                child.ended(message)
        with self._lock:
            if self._channel is channel:
                self._channel = None
            lost, self._children = self._children, {}
        for child in lost.values():
            child.ended({"status": None, "why": "parent"})

    def child(self, *, programs: bool) -> "Child":
        """Return a new child that waits for its first task. It costs 15 ms."""
        self.open()
        ours, theirs = Channel.pair()
        with self._lock:
            if self._closed or self._channel is None:
                raise Closed if self._closed else ChildEnded(None, "parent")
            number = next(self._numbers)
            child = Child(self, number, ours)
            self._children[number] = child
            order = {
                "fork": number,
                "watched": {
                    "threads": THREADS[self.device],
                    "folder": FOLDER,
                    "processes": PROCESSES,
                },
                "bounds": {
                    "address_space": 0 if self.device == "cuda" else self.memory + OVERHEAD,
                    "file_size": FILE_SIZE,
                    "cpu_seconds": self.cpu_seconds,
                    "programs": programs,
                },
            }
            try:
                self._channel.send(order, [theirs.socket.fileno()])
            except OSError as error:
                self._children.pop(number, None)
                raise ChildEnded(None, "parent") from error
        theirs.close()
        return child

    def order(self, what: str, about: int | str) -> None:
        with self._lock:
            if self._channel is not None:
                try:
                    self._channel.send({what: about})
                except OSError:
                    return

    def close(self) -> None:
        with self._lock:
            self._closed = True
            channel = self._channel
        if self._process is not None:
            kill(self._process)
        if channel is not None:
            channel.socket.close()


class Child:
    """A process that does the tasks it is asked to, one after the other, until it is released."""

    def __init__(self, nursery: Nursery, number: int, channel: Channel) -> None:
        self.nursery, self.number, self.channel = nursery, number, channel
        self.served = 0
        # What ran in it did not pass: no other entry is sent there.
        self.spoiled = False
        self._end: dict[str, Any] | None = None
        self._over = threading.Event()

    @property
    def gone(self) -> bool:
        return self._over.is_set()

    def ended(self, message: Mapping[str, Any]) -> None:
        self._end = dict(message)
        self._over.set()
        # Wakes a waiting thread, also if a process that it left behind holds the other end.
        try:
            self.channel.socket.shutdown(2)
        except OSError:
            return

    def ask(
        self, begin: str, step: str, order: dict[str, Any], timeout: float,
        blobs: Sequence[Blob] = (), box: int | None = None,
    ) -> Answer:  # fmt: skip
        """`begin` names the role to take up first; empty: go on in the one it has. `box` is a
        sealed parcel to hand over in place of `order` and `blobs`."""
        started = time.monotonic()
        nonce = secrets.token_hex(8)
        request = memory_file("request") if box is None else box
        result = memory_file("result")
        try:
            if box is None:
                write_parcel(request, order, blobs)
            self._send({"begin": begin, "step": step, "nonce": nonce}, (request, result))
            self._wait(nonce, timeout)
            return self._read(result, time.monotonic() - started)
        finally:
            self.served += bool(begin)
            os.close(result)
            if box is None:
                os.close(request)

    def _send(self, message: dict[str, Any], fds: Sequence[int]) -> None:
        try:
            self.channel.send(message, fds)
        except OSError:
            self._raise_end()

    def _wait(self, nonce: str, timeout: float) -> None:
        try:
            received = self.channel.receive(timeout)
        except TimeoutError as error:
            self.kill()
            raise DeadlinePassed from error
        except NotAParcel as error:
            self.kill()
            raise Forged(str(error)) from error
        except OSError:
            received = None
        if received is None:
            self._raise_end()
        elif received[0] != {"done": nonce} or received[1]:
            for fd in received[1]:
                os.close(fd)
            self.kill()
            raise Forged("a message that is not ours was written to the result channel")

    def _raise_end(self) -> None:
        # The channel may be closed by the entry's code, and the process live on.
        if not self._over.wait(DYING_SECONDS):
            self.kill()
            raise Forged("the result channel was closed by the code that ran beside it")
        end = self._end or {}
        if self.nursery._closed:
            raise Closed
        raise ChildEnded(end.get("status"), end.get("why", ""))

    def _read(self, result: int, seconds: float) -> Answer:
        # The sandbox holds this file too: nothing in it can change once it is sealed.
        import fcntl

        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        try:
            fcntl.fcntl(result, fcntl.F_ADD_SEALS, seals)
            (header, spoiled), blobs = read_parcel(result)
        except (OSError, NotAParcel, ValueError, TypeError) as error:
            self.kill()
            raise Forged(f"the result was written by somebody else: {error}") from error
        if spoiled:
            self.kill()
            raise Forged("something was written into the result file before the result was")
        return Answer(header, blobs, seconds)

    def kill(self) -> None:
        self.nursery.order("kill", self.number)
        self._over.wait(5.0)
        self.channel.close()

    def release(self) -> None:
        """Let the child end: it ends when it sees the closed channel, or is killed."""
        self.channel.close()
        if not self.gone:
            self.nursery.order("kill", self.number)
