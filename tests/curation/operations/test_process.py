"""Programs of the Procfile, lines of a process's output, and the delays before a restart."""

import os
import sys
import time
from pathlib import Path

from django.conf import settings

from curation.operations.process import LONGEST, Process, Program, read_procfile


def lines_of(tmp_path: Path, written: bytes) -> list[str]:
    """What `up` shows of a program that writes these bytes."""
    (tmp_path / "output").write_bytes(written)
    code = "import shutil, sys; shutil.copyfileobj(open('output', 'rb'), sys.stdout.buffer)"
    program = Program("web", (sys.executable, "-ISc", code))
    process = Process(program, dict(os.environ), folder=tmp_path, data_folder=tmp_path)
    shown: list[str] = []

    def show(name: str, line: str) -> None:
        shown.append(line)

    process.start(show)
    while not process.ended():
        time.sleep(0.01)
    return shown


def test_an_incomplete_last_line_is_shown(tmp_path: Path) -> None:
    assert lines_of(tmp_path, b"one\n\nlast words") == ["one", "", "last words"]


def test_invalid_utf8_bytes_are_replaced(tmp_path: Path) -> None:
    assert lines_of(tmp_path, "é".encode() + b"a\xff\xfeb\n") == ["éa\ufffd\ufffdb"]


def test_an_endless_line_is_split_into_pieces(tmp_path: Path) -> None:
    assert lines_of(tmp_path, b"x" * (3 * LONGEST)) == ["x" * LONGEST] * 3


def test_terminal_control_characters_of_a_process_are_escaped(tmp_path: Path) -> None:
    shown = lines_of(tmp_path, b"\x1b[2Jgone\x07\tkept\r\n")

    assert shown == [r"\x1b[2Jgone\x07" + "\tkept"]


# --- Procfile ---------------------------------------------------------------------------------
def test_a_procfile_command_is_not_run_by_a_shell() -> None:
    [program] = read_procfile("# the site\n\nweb: echo '$HOME' ; rm -rf x && $(id)")

    assert program == Program("web", ("echo", "$HOME", ";", "rm", "-rf", "x", "&&", "$(id)"))


def test_the_project_procfile_names_web_workers_and_scheduler() -> None:
    programs = read_procfile((settings.BASE_DIR / "Procfile").read_text())

    assert [program.name for program in programs] == ["web", "ingest", "validation", "scheduler"]


# --- Restarts ---------------------------------------------------------------------------------
def delays(tmp_path: Path, *ends: float, most_ends: int = 5) -> list[float | None]:
    process = Process(Program("web", ()), {}, tmp_path, tmp_path, most_ends=most_ends)
    return [process.restart_delay(end) for end in ends]


def test_restart_delays_double_up_to_the_maximum(tmp_path: Path) -> None:
    assert delays(tmp_path, *range(7), most_ends=9) == [0.5, 1, 2, 4, 8, 10, 10]


def test_too_many_restarts_within_the_window_end_the_process(tmp_path: Path) -> None:
    assert delays(tmp_path, *range(6)) == [0.5, 1, 2, 4, 8, None]


def test_a_long_healthy_period_resets_the_restart_delay(tmp_path: Path) -> None:
    assert delays(tmp_path, 1, 2, 3, 4, 5, 100)[-1] == 0.5


def test_restarts_far_apart_are_never_too_many(tmp_path: Path) -> None:
    assert None not in delays(tmp_path, *range(45, 1000, 50), most_ends=2)
