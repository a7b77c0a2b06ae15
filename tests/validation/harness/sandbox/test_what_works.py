"""A confined program may do all that a judge's workers need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.validation.harness.sandbox.confining import begin, confinement, levels, run
from tests.waiting import DEADLINE
from validation.harness.sandbox import Level, SandboxUnavailable, kill, launch, probe, start

pytestmark = pytest.mark.parametrize("level", levels())


def test_output_and_status_of_a_sandboxed_program_are_returned(level: Level) -> None:
    ended = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", level)

    assert (ended.said, ended.complaint, ended.status) == ("out", "err", 3)


def test_a_crash_of_a_sandboxed_program_shows_its_signal(level: Level) -> None:
    assert run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", level).status == 128 + 11


def test_child_processes_groups_limits_and_pipes_work_in_the_sandbox(level: Level) -> None:
    ended = run(
        """
        import os, resource, signal
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
            os.write(writing, b"whole")
            signal.pause()
        said = os.read(reading, 10).decode()
        os.killpg(child, signal.SIGKILL)
        print(said, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
        level,
    )

    assert ended.said == "whole -9", ended.complaint


def test_threads_and_socket_pairs_work_in_the_sandbox(level: Level) -> None:
    ended = run(
        """
        import socket, threading
        one, other = socket.socketpair()
        thread = threading.Thread(target=lambda: one.send(b"hello"))
        thread.start()
        print(other.recv(10).decode())
        """,
        level,
    )

    assert ended.said == "hello", ended.complaint


def test_the_scratch_folder_is_writable_and_removed_afterwards(level: Level) -> None:
    ended = run(
        """
        import os, tempfile
        path = os.path.join(os.environ["TMPDIR"], "note")
        open(path, "w").write("x")
        print(path, tempfile.gettempdir() == os.environ["TMPDIR"] == os.environ["HOME"])
        """,
        level,
    )

    path, agreed = ended.said.split()
    assert agreed == "True"
    assert not Path(path).exists()


def test_a_sandboxed_program_gets_only_the_given_environment(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "very secret")

    ended = run("import os; print(sorted(os.environ))", level, env={"GIVEN": "1"})

    given = {"GIVEN", "HOME", "LANG", "PATH", "TMPDIR", "USER"}
    # bubblewrap sets PWD, and Python LC_CTYPE.
    assert set(eval(ended.said)) - {"LC_CTYPE", "PWD"} == given  # noqa: S307 - our own words


def test_a_sandboxed_program_gets_only_the_passed_file_descriptors(level: Level) -> None:
    reading, writing = os.pipe()
    secret = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(secret, True)

    ended = run(
        f"""
        import os
        os.write({writing}, b"through")
        alive = []
        for fd in range(64):
            try:
                os.fstat(fd)
                alive.append(fd)
            except OSError:
                pass
        print(alive)
        """,
        level,
        pass_fds=(writing,),
    )

    assert ended.said == str([0, 1, 2, writing]), ended.complaint
    assert os.read(reading, 10) == b"through"
    for fd in (reading, writing, secret):
        os.close(fd)


def test_killing_a_sandboxed_program_is_idempotent(level: Level) -> None:
    process = begin("import time; print('on', flush=True); time.sleep(60)", level)
    assert process.stdout
    assert process.stdout.readline() == b"on\n"

    kill(process)
    kill(process)

    assert process.returncode != 0


def test_a_missing_program_is_reported_in_a_sentence(level: Level) -> None:
    process = start(["/usr/bin/nothing"], confinement(), level=level, stderr=subprocess.PIPE)
    _, complaint = process.communicate(timeout=DEADLINE)

    assert process.returncode == 126
    assert b"could not be confined or started" in complaint


def test_a_host_without_a_sandbox_refuses_to_run(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap and Landlock a program runs only at level NONE."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(launch, "LANDLOCK_VERSION", 1000)
    probe.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match="bwrap is not on PATH"):
            start([sys.executable, "-c", ""], confinement())
        process = start([sys.executable, "-c", ""], confinement(), level=Level.NONE)
        assert process.wait(DEADLINE) == 0
    finally:
        probe.cache_clear()
