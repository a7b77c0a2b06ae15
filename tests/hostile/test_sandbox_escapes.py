"""Every way out of the sandbox that we know, tried for real at each level that this host allows."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.validation.harness.sandbox.confining import begin, levels, processes_saying, run
from tests.waiting import wait_for
from validation.harness.sandbox import Level, command, kill
from validation.harness.sandbox.command import threads_of

pytestmark = [pytest.mark.parametrize("level", levels()), pytest.mark.slow]

TRY = """
import os, sys
def attempt(what):
    try:
        print("OUT", what())
    except (OSError, MemoryError, ValueError) as error:
        print("held", type(error).__name__, getattr(error, "errno", ""))
"""


def attempt(expression: str, level: Level, *, before: str = "", **changes: object) -> str:
    program = TRY + textwrap.dedent(before) + f"\nattempt(lambda: {expression})\n"
    ended = run(program, level, **changes)
    assert ended.said.startswith(("OUT", "held")), ended
    return ended.said


@pytest.mark.parametrize(
    "path",
    [
        "/etc/shadow",
        "/etc/passwd",
        "/proc/1/environ",
        "/var/log",
        str(Path.home() / ".bashrc"),
        str(Path(__file__)),
        str(Path(__file__).parents[2] / "manage.py"),
    ],
)
def test_files_of_the_host_cannot_be_read(level: Level, path: str) -> None:
    said = attempt(
        f"os.listdir('{path}') if os.path.isdir('{path}') else open('{path}').read()", level
    )

    assert said.startswith("held"), said


def test_the_home_folder_shows_only_the_path_to_the_interpreter(
    level: Level, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = Path.home() / f".sandbox-test-{os.getpid()}"
    secret.write_text("secret")
    try:
        assert attempt(f"open('{secret}').read()", level).startswith("held")
        assert secret.name not in attempt(f"os.listdir('{secret.parent}')", level)
    finally:
        secret.unlink()


def test_the_environment_of_the_parent_process_can_not_be_read(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret-of-the-host")

    ended = run(
        """
        import os
        seen = b""
        pids = list(map(str, range(1, 100)))
        for pid in [*pids, "self", str(os.getpid()), str(os.getppid())]:
            for name in ("environ", "cmdline", "mem"):
                try:
                    seen += open(f"/proc/{pid}/{name}", "rb").read(100000)
                except OSError:
                    pass
        print(b"secret-of-the-" + b"host" in seen)
        """,
        level,
    )

    assert ended.said == "False", ended.complaint


def test_another_process_can_be_neither_read_nor_killed(level: Level) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()", "mark-of-a-neighbour"], stdin=-1
    ) as other:
        try:
            said = attempt(f"open('/proc/{other.pid}/cmdline').read()", level)
            assert "neighbour" not in said
            attempt(f"os.kill({other.pid}, 9)", level)
            attempt("os.kill(-1, 9)", level, before="import signal")
            time.sleep(0.1)
            assert other.poll() is None
        finally:
            other.kill()


def test_a_sandboxed_program_can_not_kill_its_parent(level: Level) -> None:
    ended = run(
        """
        import os
        for pid in (os.getppid(), 1):
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        print("still here")
        """,
        level,
    )

    assert ended.said == "still here"
    assert ended.status == 0


@dataclass
class Server:
    """A server of the host, and what reached it."""

    address: object
    reached: list[bytes] = field(default_factory=list)


@contextmanager
def serving(family: int, kind: int, address: Any) -> Iterator[Server]:
    with socket.socket(family, kind) as listener:
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.settimeout(0.1)
        server = Server(listener.getsockname())
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                with suppress(TimeoutError):
                    if kind == socket.SOCK_STREAM:
                        listener.accept()[0].close()
                        server.reached.append(b"connected")
                    else:
                        server.reached.append(listener.recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server
        finally:
            time.sleep(0.2)
            stop.set()
            thread.join()


def send(family: str, kind: str, address: object) -> str:
    made = f"s := socket.socket(socket.{family}, socket.{kind})"
    return f"({made}, s.connect({address!r}), s.send(b'out'))"


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
@pytest.mark.parametrize(
    ("family", "address"),
    [("AF_INET", ("127.0.0.1", 0)), ("AF_UNIX", f"\0sandbox-test-{os.getpid()}")],
    ids=["network", "abstract Unix socket"],
)
def test_a_sandboxed_program_can_not_reach_a_server_without_a_file(
    level: Level, kind: str, family: str, address: Any
) -> None:
    with serving(getattr(socket, family), getattr(socket, kind), address) as server:
        said = attempt(send(family, kind, server.address), level, before="import socket")

    assert said.startswith("held")
    assert server.reached == []


def test_a_sandboxed_program_can_not_reach_unix_sockets_of_the_host(
    level: Level, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    path = tmp_path / "socket"
    with serving(socket.AF_UNIX, socket.SOCK_STREAM, str(path)) as server:
        path.chmod(0o777)
        said = attempt(send("AF_UNIX", "SOCK_STREAM", str(path)), level, before="import socket")

    assert said.startswith("held")
    assert server.reached == []


@pytest.mark.parametrize("family", ["AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"])
def test_sockets_of_other_families_can_not_be_created(level: Level, family: str) -> None:
    said = attempt(
        f"socket.socket(socket.{family}, socket.SOCK_RAW)", level, before="import socket"
    )

    assert said.startswith("held")


@pytest.mark.parametrize("where", ["/", "/dev", "/dev/shm", "/etc", "/usr/lib", "/var/tmp", "/run"])
def test_files_outside_the_scratch_folder_can_not_be_written(level: Level, where: str) -> None:
    said = attempt(f"open('{where}/sandbox-was-here', 'w').write('x')", level)

    assert said.startswith("held")
    assert not Path(where, "sandbox-was-here").exists()


def test_readable_files_can_not_be_changed(level: Level, tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o777)
    file = tmp_path / "file"
    file.write_text("whole")
    os.chmod(file, 0o666)

    for what in (
        f"open('{file}', 'w').write('x')",
        f"os.truncate('{file}', 0)",
        f"os.unlink('{file}')",
        f"os.rename('{file}', '{file}2')",
        f"os.link('{file}', '{tmp_path}/other')",
    ):
        assert attempt(what, level, also=(tmp_path,)).startswith("held"), what

    assert file.read_text() == "whole"
    assert os.listdir(tmp_path) == ["file"]


def test_a_fork_bomb_stops_at_the_process_limit(level: Level) -> None:
    # Where no namespace counts for it alone, what the user runs elsewhere may end meanwhile.
    user = command.SANDBOX_UID if os.geteuid() == 0 else os.getuid()
    others = threads_of(user) if level is Level.LANDLOCK else 0
    ended = run(
        """
        import os, time
        made = 0
        try:
            while made < 500:
                if not os.fork():
                    time.sleep(30)
                    os._exit(0)
                made += 1
        except OSError:
            pass
        print(made)
        """,
        level,
        processes=24,
    )

    assert 10 <= int(ended.said) <= 24 + others


def test_a_fork_bomb_that_never_stops_can_be_killed(level: Level) -> None:
    mark = f"bomb-{os.getpid()}-{level}"
    process = begin(
        f"""
        import os
        mark = "{mark}"
        print("lit", flush=True)
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        level,
    )
    assert process.stdout
    assert process.stdout.readline() == b"lit\n"

    kill(process)

    assert processes_saying(mark) == []


def test_memory_is_limited(level: Level) -> None:
    said = attempt("len(bytearray(4 << 30))", level, memory=1 << 30)

    assert said.startswith("held MemoryError")


def test_the_size_of_a_file_is_limited(level: Level) -> None:
    said = attempt(
        "open(os.environ['TMPDIR'] + '/big', 'wb').write(b'x' * (2 << 20))",
        level,
        before="import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)",
        file_size=1 << 20,
    )

    assert said.startswith("held OSError")


def test_cpu_time_is_limited(level: Level) -> None:
    assert run("while True: pass", level, cpu_seconds=1).status in (
        128 + signal.SIGXCPU,
        128 + signal.SIGKILL,
    )


def test_resource_limits_can_not_be_raised(level: Level) -> None:
    said = attempt(
        "resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))", level, before="import resource"
    )

    assert said.startswith("held")


SYSTEM_CALLS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64's system calls")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("ptrace", "call(101, 0, 0, 0, 0)"),
        ("unshare", "call(272, 0x10000000)"),
        ("clone with a new namespace", "call(56, 0x10000011, 0, 0, 0, 0)"),
        ("clone3", "call(435, 0, 0)"),
        ("setns", "call(308, 0, 0)"),
        ("mount", "call(165, 0, b'/tmp', b'tmpfs', 0, 0)"),
        ("pivot_root", "call(155, b'/', b'/')"),
        ("keyctl", "call(250, 0, -3, 1)"),
        ("bpf", "call(321, 0, 0, 0)"),
        ("userfaultfd", "call(323, 0)"),
        ("perf_event_open", "call(298, 0, 0, -1, -1, 0)"),
        ("io_uring_setup", "call(425, 1, 0)"),
        ("process_vm_readv", "call(310, 1, 0, 0, 0, 0, 0)"),
        ("open_by_handle_at", "call(304, 0, 0, 0)"),
        ("shmget", "call(29, 0, 4096, 0o1600)"),
        ("pushing into the terminal", "call(16, 0, 0x5412, b'x')"),
        ("a call of x32", "call(0x40000000 + 39)"),
        ("a call of tomorrow", "call(1000)"),
    ],
)
def test_dangerous_system_calls_are_refused(level: Level, name: str, call: str) -> None:
    said = attempt(call, level, before=SYSTEM_CALLS)

    assert said in ("held PermissionError 1", "held OSError 38"), (name, said)


def test_a_32_bit_system_call_kills_the_program(level: Level) -> None:
    """int 0x80 speaks another architecture's numbers."""
    ended = run(
        """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
        where = ctypes.addressof(ctypes.c_char.from_buffer(page))
        print("OUT", ctypes.CFUNCTYPE(ctypes.c_int)(where)())
        """,
        level,
    )

    assert "OUT" not in ended.said
    assert ended.status in (128 + signal.SIGSYS, 128 + signal.SIGSEGV)


def test_setuid_programs_grant_no_privileges(level: Level) -> None:
    ended = run(
        """
        import ctypes, os
        print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0), os.getuid() != 0, os.getgroups())
        """,
        level,
    )

    assert ended.said == "1 True []" or os.getuid() != 0, ended


RUNAWAY = """
import os, time
mark = "{mark}"
if not os.fork():
    os.setsid()
    if not os.fork():
        os.setsid()
        for fd in range(3):
            os.close(fd)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
print("gone", flush=True)
{then}
"""


def test_a_daemon_ends_when_its_sandbox_is_killed(level: Level) -> None:
    mark = f"daemon-{os.getpid()}-{level}"
    process = begin(RUNAWAY.format(mark=mark, then="time.sleep(600)"), level)
    assert process.stdout
    assert process.stdout.readline() == b"gone\n"
    assert len(processes_saying(mark)) >= 2

    kill(process)

    assert processes_saying(mark) == []


def test_a_daemon_ends_with_its_sandboxed_program(level: Level) -> None:
    mark = f"orphan-{os.getpid()}-{level}"

    run(RUNAWAY.format(mark=mark, then=""), level)

    # Its namespace ends by itself, at its own pace: it is not killed.
    wait_for("the daemon ends", lambda: not processes_saying(mark))


def test_the_sandbox_ends_when_its_parent_is_killed(level: Level) -> None:
    mark = f"left-{os.getpid()}-{level}"
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from tests.validation.harness.sandbox.confining import begin\n"
            "from validation.harness.sandbox import Level\n"
            f"process = begin({RUNAWAY.format(mark=mark, then='time.sleep(600)')!r}, "
            f"Level('{level}'))\n"
            "print(process.stdout.readline().decode(), flush=True)\n"
            "process.wait()\n",
        ],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert parent.stdout
    assert parent.stdout.readline() == b"gone\n"

    parent.kill()
    parent.wait()

    wait_for("the daemon ends", lambda: not processes_saying(mark))
