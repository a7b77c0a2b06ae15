"""What real processes write under LOG_FORMAT=json: objects, one a line, and nothing else."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.curation.operations.house import environment, gunicorn, manage

JSON = {"LOG_FORMAT": "json", "HTTPS": "0"}


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_the_web_server_logs_only_json_lines(tmp_path: Path) -> None:
    with gunicorn(tmp_path / "data", {**JSON, "WEB_CONCURRENCY": "1"}, log=tmp_path / "log"):
        pass

    lines = objects((tmp_path / "log").read_text())
    assert {line["logger"] for line in lines} >= {"gunicorn.error", "curation.access"}
    # On a busy machine the first requests may have been given up.
    *_, access = [line for line in lines if line["logger"] == "curation.access"]
    assert (access["method"], access["status"]) == ("GET", 200)
    assert access["path"] == "/api/v1/openapi.json"
    assert access["duration"] > 0
    assert access["request_id"]


def test_an_interrupted_command_prints_stopped_without_a_traceback(
    tmp_path: Path, migrated: Callable[[Path], Path]
) -> None:
    program = "import time; print('at work', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", program],
        cwd=settings.BASE_DIR,
        env=environment(migrated(tmp_path / "data")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background made them deaf to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        assert command.stdout
        assert command.stdout.readline() == "at work\n"
        command.send_signal(signal.SIGINT)
        _, complaint = command.communicate()

    assert (command.returncode, complaint) == (130, "Stopped.\n")


@pytest.mark.slow
def test_a_failed_command_logs_one_json_line(tmp_path: Path) -> None:
    done = manage(
        tmp_path, "load_sources", **JSON, DATABASE_URL="postgres://me:hunter2@127.0.0.1:1/x"
    )

    (line,) = objects(done.stderr)
    assert (done.returncode, line["level"]) == (1, "ERROR")
    assert line["message"].startswith("The database can't be reached")
    assert "hunter2" not in done.stderr


def test_a_crash_is_logged_as_one_json_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from curation.operations.logs import write_tracebacks_as_lines\n"
            "write_tracebacks_as_lines()\n"
            "raise RuntimeError('on\\nfire')",
        ],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path, **JSON),
        capture_output=True,
        text=True,
        check=False,
    )

    (line,) = objects(done.stderr)
    assert (line["level"], line["message"]) == ("CRITICAL", "RuntimeError: on\nfire")
    assert "Traceback" in line["traceback"]
