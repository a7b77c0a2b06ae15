"""A fork server in its sandbox, as seen from the trusted side."""

import itertools
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from validation.harness.pool.channel import Channel, NotAParcel
from validation.harness.pool.children import SERVER_ENDED, Child, ChildEnded, Closed
from validation.harness.sandbox import (
    Confinement,
    Level,
    RunLimits,
    best,
    half_of_memory,
    kill,
    python_readable,
    start,
)
from validation.harness.sandbox.seal import domain

log = logging.getLogger(__name__)

PACKAGE = Path(__file__).resolve().parents[2]
HARNESS = "validation.harness.worker.warm"
NEEDED = ("torch", "triton", "pytest")
# Only the package can be read, not the folder around it, which may hold the data.
BEGIN = """\
import gc, os, sys, types
# Imported objects stay: looking for garbage takes a third of the time.
gc.disable()
sys.modules["validation"] = types.ModuleType("validation")
sys.modules["validation"].__path__ = [{package!r}]
from validation.harness.worker.server import main
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.argv[:] = [""]
main({control}, {settings!r})
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
THREADS = {"interpreter": 32, "compiler": 32, "cuda": 512}
# Processes of one child, itself included: a compiler and its parts are a handful. A fork bomb is
# ended long before other children can't fork.
PROCESSES = 128
WARM_UP_SECONDS = 180.0
# The channel of a server that ended closes a moment before the guard has its status.
STATUS_SECONDS = 5.0
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TRITON_DEFAULT_FP_FUSION": "1",
    "CUDA_MODULE_LOADING": "LAZY",
    # No pool of processes in a process that may be killed at any time.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    # Asking whether there is a GPU must not make a context in the fork server.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
IN_INTERPRETER = {
    "PATH": "/usr/bin",
    "TRITON_INTERPRET": "1",
    "CUDA_VISIBLE_DEVICES": "",
    # Overwrite freed memory: the next allocation finds no data in it.
    "MALLOC_PERTURB_": "165",
}
# A context with two queues of work instead of eight is made in less than half of the time. Streams
# still overtake each other, as a missing wait needs to show. Timing has all eight.
TO_CHECK_ON_GPU = {"CUDA_DEVICE_MAX_CONNECTIONS": "2"}
# Variables that a server on a GPU gets from this process.
ON_GPU = ("PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME")


class ForkServerFailed(Exception):
    """A fork server could not warm up. The sentence says why, or has its last output."""


class ForkServer:
    """A fork server, started again if it dies. Its children end with it.

    memory, cpu_seconds: limits of each child.
    processes: limit of all children together.
    programs: whether children may start other processes.
    compiler: warm up torch.compile too.
    program: the module that warms the server up and has the roles of its children; `target` is
        for it.
    device: "interpreter", "cuda", or "compiler" for what compiles and launches nothing.
    """

    def __init__(
        self, device: str, *, memory: int, cpu_seconds: int, level: Level | None, processes: int,
        programs: bool = False, compiler: bool = False, program: str = HARNESS, target: str = "",
    ) -> None:  # fmt: skip
        self.device, self.memory, self.cpu_seconds = device, memory, cpu_seconds
        self.processes, self.programs, self.compiler = processes, programs, compiler
        self.program, self.target = program, target
        self.level = level or best()
        self.versions: dict[str, str] = {}
        self.closed = False
        self._numbers = itertools.count(1)
        self._children: dict[int, Child] = {}
        self._lock = threading.RLock()
        self._process: Any = None
        # The channel of a server that is ready, and of one that warms up.
        self._channel: Channel | None = None
        self._warming: Channel | None = None
        self._errors: Any = None

    def begin(self) -> None:
        """Start to warm up, if it has not; `open` waits for it."""
        with self._lock:
            if self.closed:
                raise Closed
            if self._channel is None and self._warming is None:
                if self._process is not None:
                    # Its channel ended, and its guard may not have.
                    kill(self._process)
                self._start()

    def open(self) -> None:
        with self._lock:
            self.begin()
            if self._warming is not None:
                self._wait_until_ready(self._warming)

    def _start(self) -> None:
        absent = [name for name in NEEDED if find_spec(name) is None]
        if absent and self.program == HARNESS:
            words = f"{sys.executable} has no {' and no '.join(absent)} to check with."
            raise ForkServerFailed(words)
        own_end, server_end = Channel.pair()
        confinement = self.confinement()
        settings: dict[str, Any] = {
            "domain": domain(confinement),
            "program": self.program,
            "compiler": self.compiler,
            "target": self.target,
            "folder": FOLDER,
            "programs": self.programs,
            "limits": {"RLIMIT_FSIZE": FILE_SIZE, "RLIMIT_CPU": self.cpu_seconds},
        }
        if self.device != "cuda":
            # CUDA reserves more address space than any machine has.
            settings["limits"]["RLIMIT_AS"] = self.memory + OVERHEAD
        control = server_end.socket.fileno()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - read only after a failure
        with tempfile.TemporaryFile() as script:
            text = BEGIN.format(package=str(PACKAGE), control=control, settings=settings)
            script.write(text.encode())
            script.seek(0)
            self._process = start(
                # The script comes on standard input: every program inside can read a command line.
                [sys.executable, "-I", "-"],
                confinement,
                level=self.level,
                pass_fds=(control,),
                stdin=script,
                stderr=self._errors,
            )
        server_end.close()
        self._channel, self._warming = None, own_end

    def _wait_until_ready(self, ours: Channel) -> None:
        try:
            received = ours.receive(WARM_UP_SECONDS)
        except (OSError, NotAParcel):
            received = None
        message: dict[str, Any] = {"failed": "The fork server did not start."}
        if received:
            message = received[0]
        if "failed" in message:
            self._warming = None
            kill(self._process)
            output = _last_output(self._errors)
            raise ForkServerFailed(message["failed"] + (f" It said: {output}" if output else ""))
        ours.socket.settimeout(None)
        self.versions = message["versions"]
        self._channel, self._warming = ours, None
        server = (ours, self._process, self._errors)
        threading.Thread(target=self._listen, args=server, daemon=True).start()

    def confinement(self) -> Confinement:
        """Return the confinement of its processes."""
        environment = dict(ENVIRONMENT)
        if self.device == "interpreter":
            environment |= IN_INTERPRETER
        if self.device == "cuda":
            environment |= {} if self.compiler else TO_CHECK_ON_GPU
            environment |= {name: os.environ[name] for name in ON_GPU if name in os.environ}
        return Confinement(
            readable=(*python_readable(), PACKAGE, *(path for path in LDCONFIG if path.exists())),
            limits=RunLimits(
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
        )

    def _listen(self, channel: Channel, process: Any, errors: Any) -> None:
        """Receive how children ended and pass it to them, until the server ends."""
        while True:
            try:
                received = channel.receive()
            except (OSError, NotAParcel):
                received = None
            if received is None:
                break
            message = received[0]
            if message["status"] == -signal.SIGKILL and not message["why"]:
                message["why"] = process.bound.ended_for(message["pid"])
            child = self._children.pop(message["exited"], None)
            if child is not None:
                child.ended(message)
        # The next start closes the record.
        killed: list[str] = []
        with suppress(OSError):
            killed = process.bound.ended_groups()
        with self._lock:
            if self._channel is channel:
                self._channel = None
            lost, self._children = self._children, {}
        for child in lost.values():
            child.ended({"status": None, "why": SERVER_ENDED})
        if not self.closed:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STATUS_SECONDS)
            log.warning(
                "A fork server ended: status %s, killed groups %s, output %r",
                process.returncode, killed, _last_output(errors),
            )  # fmt: skip

    def child(self) -> Child:
        """Return a new child that waits for its first task. It costs 15 ms."""
        self.open()
        own_end, child_end = Channel.pair()
        with self._lock:
            if self.closed:
                raise Closed
            if self._channel is None:
                raise ChildEnded(None, SERVER_ENDED)
            number = next(self._numbers)
            child = self._children[number] = Child(self, number, own_end)
            try:
                self._channel.send({"fork": number}, [child_end.socket.fileno()])
            except OSError as error:
                self._children.pop(number, None)
                self._channel = None
                raise ChildEnded(None, SERVER_ENDED) from error
        child_end.close()
        return child

    def send(self, order: str, about: int | str) -> None:
        """Send an order to the server, if it lives."""
        with self._lock, suppress(OSError):
            if self._channel is not None:
                self._channel.send({order: about})

    def close(self) -> None:
        with self._lock:
            self.closed = True
            channel = self._channel
        if self._process is not None:
            kill(self._process)
        if channel is not None:
            channel.socket.close()


def _last_output(file: Any) -> str:
    file.seek(0)
    return str(file.read()[-2000:].decode(errors="replace").strip())
