"""Handle by which the trusted process starts and restarts a sandboxed fork server."""

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
from validation.harness.pool.children import SERVER_ENDED, Child, Closed, ServerEnded
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
# Make only the package readable, not the folder around it, which may hold the data folder.
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
# Size limits of temporary files: of all children together, and of one child. A child that fills the
# first limit leaves no room for other children.
SCRATCH = 2 << 30
FOLDER = 256 << 20
FILE_SIZE = 2 << 30
# Address space that torch and Triton map without using it.
OVERHEAD = 2 << 30
# Triton runs ldconfig to find the driver's library.
LDCONFIG = (Path("/usr/sbin/ldconfig"), Path("/usr/sbin/ldconfig.real"))
THREADS = {"interpreter": 32, "compiler": 32, "cuda": 512}
# Limit of processes for one child, including itself: a compiler needs a handful. A fork bomb
# exceeds it long before other children can't fork.
PROCESSES = 128
WARM_UP_SECONDS = 180.0
# Seconds to wait for an exit status, which the guard has shortly after the channel closes.
STATUS_SECONDS = 5.0
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TRITON_DEFAULT_FP_FUSION": "1",
    "CUDA_MODULE_LOADING": "LAZY",
    # torch.compile must start no process pool in a process that may be killed at any time.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    # A test for a GPU must not create a CUDA context in the fork server.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
IN_INTERPRETER = {
    "PATH": "/usr/bin",
    "TRITON_INTERPRET": "1",
    "CUDA_VISIBLE_DEVICES": "",
    # Overwrite freed memory, so that no later allocation finds data in it.
    "MALLOC_PERTURB_": "165",
}
# Creating a context with two hardware queues takes less than half the time of eight. Streams still
# overlap, so a missing wait shows. Timing uses all eight.
TO_CHECK_ON_GPU = {"CUDA_DEVICE_MAX_CONNECTIONS": "2"}
# Environment variables that a server on a GPU inherits from this process.
ON_GPU = ("PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME")


class ForkServerFailed(Exception):
    """A fork server could not warm up. The message has the reason, or the server's last output."""


class ForkServer:
    """A fork server that is started again when it dies. Its children end with it.

    memory, cpu_seconds: limits for each child.
    processes: limit for all children together.
    programs: whether children may start other processes.
    compiler: whether to warm up torch.compile too.
    program: module that warms up and defines the children's roles; `target` is passed to it.
    device: "interpreter", "cuda", or "compiler" for a server that compiles without launching.
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
        # Channel of the ready server, and of the server that is warming up.
        self._channel: Channel | None = None
        self._warming: Channel | None = None
        self._errors: Any = None

    def begin(self) -> None:
        """Start the server if necessary, without waiting. `open` waits until it is warm."""
        with self._lock:
            if self.closed:
                raise Closed
            if self._channel is None and self._warming is None:
                if self._process is not None:
                    # The channel has closed, but the guard may still run.
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
            # CUDA reserves more address space than any machine has, so limit it only without CUDA.
            settings["limits"]["RLIMIT_AS"] = self.memory + OVERHEAD
        control = server_end.socket.fileno()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - read only after a failure
        with tempfile.TemporaryFile() as script:
            text = BEGIN.format(package=str(PACKAGE), control=control, settings=settings)
            script.write(text.encode())
            script.seek(0)
            self._process = start(
                # Pass the script on standard input. Every process inside can read a command line.
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
        """Pass end statuses of children to their `Child` objects until the server ends."""
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
        # A restart closes the guard's record, so reading it may fail.
        killed: list[str] = []
        with suppress(OSError):
            killed = process.bound.ended_groups()
        with self._lock:
            if self._channel is channel:
                self._channel = None
            lost, self._children = self._children, {}
        for child in lost.values():
            child.ended({"why": SERVER_ENDED})
        if not self.closed:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STATUS_SECONDS)
            log.warning(
                "A fork server ended: status %s, killed groups %s, output %r",
                process.returncode, killed, _last_output(errors),
            )  # fmt: skip

    def child(self) -> Child:
        """Fork a new child, which waits for its first request. This takes 15 ms."""
        self.open()
        own_end, child_end = Channel.pair()
        with self._lock:
            if self.closed:
                raise Closed
            if self._channel is None:
                raise ServerEnded
            number = next(self._numbers)
            child = self._children[number] = Child(self, number, own_end)
            try:
                self._channel.send({"fork": number}, [child_end.socket.fileno()])
            except OSError as error:
                self._children.pop(number, None)
                self._channel = None
                raise ServerEnded from error
        child_end.close()
        return child

    def send(self, order: str, about: int | str) -> None:
        """Send an instruction to the server, if it is running."""
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
