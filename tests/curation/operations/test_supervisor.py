"""The loop, on small programs: restarts, giving up, stopping."""

import io
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.operations import leftovers
from curation.operations.console import Console
from curation.operations.process import Process, Program, ProgramMissing
from curation.operations.supervisor import KeepsEnding, StartupStage, Supervisor
from tests.waiting import DEADLINE

# Each program tells the test by a file that it has come so far.
PROGRAMS = Path(__file__).with_name("programs")
SLEEP = "import time; open('slept', 'a').write('x'); time.sleep(60)"


def process(folder: Path, name: str, code: str = "", most_ends: int = 5) -> Process:
    """A process of this code, or of the program of its name."""
    program = ("-ISc", textwrap.dedent(code)) if code else ("-IS", str(PROGRAMS / f"{name}.py"))
    return Process(
        Program(name, (sys.executable, *program)),
        environment=dict(os.environ),
        folder=folder,
        data_folder=folder,
        most_ends=most_ends,
        first_delay=0.01,
    )


def stop() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def run(*stages: StartupStage, when_ready: Callable[[], None] = stop) -> str:
    output = io.StringIO()
    names = [process.name for stage in stages for process in stage.processes]
    Supervisor(stages, Console(output, names), when_ready).run()
    return output.getvalue()


def until(folder: Path, name: str, size: int = 1) -> Callable[[], str | None]:
    deadline = time.monotonic() + DEADLINE

    def lacks() -> str | None:
        file = folder / name
        if file.exists() and file.stat().st_size >= size:
            return None
        assert time.monotonic() < deadline, f"{file} did not appear"
        return f"no {name}"

    return lacks


def test_a_crash_loop_stops_all_processes_and_shows_the_last_lines(tmp_path: Path) -> None:
    doomed = process(
        tmp_path,
        "doomed",
        "print('no such table'); raise SystemExit(4)",
        most_ends=2,
    )
    steady = process(tmp_path, "steady", SLEEP)

    with pytest.raises(KeepsEnding) as ended:
        run(StartupStage([steady, doomed], until(tmp_path, "never")))

    assert str(ended.value) == (
        "doomed ended more than 2 times within 60 seconds, so everything was stopped. "
        "The last time it ended with exit status 4; its last lines were:\n"
        + "\n".join(["  no such table"] * 3)
    )
    assert not leftovers.find(tmp_path)


def test_a_program_that_is_not_installed_is_named(tmp_path: Path) -> None:
    missing = Process(
        Program("web", ("no-such-server",)), environment={}, folder=tmp_path, data_folder=tmp_path
    )

    with pytest.raises(ProgramMissing, match="web can't be started: no-such-server"):
        run(StartupStage([missing], lambda: None))


def test_stages_start_in_order_and_stop_in_reverse_order(tmp_path: Path) -> None:
    code = """
        import signal, sys, time
        def end(*_):
            print('ends', flush=True)
            sys.exit()
        signal.signal(signal.SIGTERM, end)
        print('begins', flush=True)
        open('{0}', 'w').write('x')
        time.sleep(60)
        """
    first = process(tmp_path, "first", code.format("a"))
    second = process(tmp_path, "second", code.format("b"))

    output = run(
        StartupStage([first], until(tmp_path, "a")), StartupStage([second], until(tmp_path, "b"))
    )

    said = [line.split() for line in output.splitlines() if line.endswith(("begins", "ends"))]
    assert said == [
        ["first", "|", "begins"],
        ["second", "|", "begins"],
        ["second", "|", "ends"],
        ["first", "|", "ends"],
    ]


def test_a_process_that_ignores_sigterm_gets_a_second_one(tmp_path: Path) -> None:
    stubborn = process(tmp_path, "stubborn")

    output = run(StartupStage([stubborn], until(tmp_path, "up"), grace=0.2))

    assert "Told to stop again: stubborn." in output
    assert "stubborn | cold shutdown" in output


def test_a_process_that_ignores_every_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.operations.supervisor.SECOND_GRACE", 0.1)
    deaf = process(tmp_path, "deaf")

    output = run(StartupStage([deaf], until(tmp_path, "up"), grace=0.1))

    assert "Killed: deaf." in output
    assert not leftovers.find(tmp_path)


def test_a_second_ctrl_c_kills_the_processes_at_once(tmp_path: Path) -> None:
    patient = process(tmp_path, "patient")
    began = time.monotonic()

    output = run(StartupStage([patient], until(tmp_path, "up"), grace=30))

    assert "Killed: patient." in output
    assert time.monotonic() - began < 10


def test_children_of_a_dead_process_are_killed_before_its_restart(tmp_path: Path) -> None:
    parent = process(tmp_path, "parent")
    seen: list[list[int]] = []

    def look() -> None:
        seen.append(leftovers.find(tmp_path))
        stop()

    run(StartupStage([parent], until(tmp_path, "again")), when_ready=look)

    child = int((tmp_path / "child").read_text())
    assert child not in seen[0]
    assert not leftovers.find(tmp_path)


def test_a_closed_output_pipe_stops_all_processes(tmp_path: Path) -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    talker = process(tmp_path, "talker", "import time; print(1, flush=True); time.sleep(60)")
    stages = [StartupStage([talker], until(tmp_path, "never"))]

    Supervisor(stages, Console(Closed(), ["talker"]), stop).run()

    assert not leftovers.find(tmp_path)


def test_the_supervisor_restores_the_signal_handlers(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGCHLD)]

    run(StartupStage([process(tmp_path, "sleeper", SLEEP)], until(tmp_path, "slept")))

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGCHLD)] == before
