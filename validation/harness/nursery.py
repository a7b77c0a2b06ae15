"""A warm parent in its sandbox, which forks children, as seen from the trusted side."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from validation.harness.channel import (
    Channel,
    NotAParcel,
)
from validation.harness.children import Child, ChildEnded, Closed
from validation.sandbox import (
    Confinement,
    Level,
    Limits,
    ended_for,
    half_of_memory,
    kill,
    probe,
    python_readable,
    start,
)
from validation.sandbox.seal import domain

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
# Temporary files of all children together, and of each: one that fills the first takes it from
# the others.
SCRATCH = 2 << 30
FOLDER = 256 << 20
FILE_SIZE = 2 << 30
# Address space that torch and Triton map without using it.
OVERHEAD = 2 << 30
# Triton asks it where the driver's library is.
LDCONFIG = (Path("/usr/sbin/ldconfig"), Path("/usr/sbin/ldconfig.real"))
THREADS = {"interpreter": 32, "cuda": 512}
# The most processes of one child, itself included: a compiler and its parts are a handful. A fork
# bomb is ended long before other children can't fork.
PROCESSES = 128
WARM_UP = 180.0


class ParentAway(Exception):
    """The process that forks all others could not warm up. The sentence says why, or has its last
    output."""


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
                group_processes=PROCESSES,
                threads=THREADS[self.device],
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
                message["why"] = ended_for(process, message["pid"])
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
                "folder": FOLDER,
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
