"""What stands on the screen."""

import io
from pathlib import Path

import pytest

from curation.operations.console import Console, event


def test_every_line_is_prefixed_with_its_process_in_a_column() -> None:
    stream = io.StringIO()
    console = Console(stream, ["web", "validation"])

    console.line("web", "one")
    console.line("web", "two")
    console.line("validation", "three")
    console.say("Ready.")

    assert stream.getvalue().splitlines() == [
        "web        | one",
        "web        | two",
        "validation | three",
        "up         | Ready.",
    ]


def test_an_ascii_terminal_gets_escaped_characters() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")

    Console(stream, ["web"]).line("web", "né")

    assert raw.getvalue() == rb"web | n\xe9" + b"\n"


OURS = "2026-11-26 06:53:20,757 INFO curation.jobs.attempt: validation:1 (38 pairs) begins"
LIBRARYS = "2026-11-26 06:53:20,612 INFO rq.worker: Worker a1d7: validation: Validation 1"


def test_the_terminal_shows_events_and_the_log_file_all_lines(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(stream, ["validation"], tmp_path / "up.log")

    for line in (LIBRARYS, OURS, "Traceback (most recent call last):"):
        console.line("validation", line)
    console.say("Ready.")

    assert stream.getvalue().splitlines() == [
        "validation | 06:53:20 validation:1 (38 pairs) begins",
        "up         | Ready.",
    ]
    logged = (tmp_path / "up.log").read_text().splitlines()
    assert [line.partition(" | ")[2] for line in logged] == [
        LIBRARYS, OURS, "Traceback (most recent call last):", "Ready.",
    ]  # fmt: skip


def test_verbose_mode_shows_all_lines_unchanged(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(stream, ["web"], tmp_path / "up.log", verbose=True)

    console.line("web", LIBRARYS)

    assert stream.getvalue() == f"web | {LIBRARYS}\n"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (OURS.replace("INFO", "WARNING"), "06:53:20 WARNING: validation:1 (38 pairs) begins"),
        ("2026-11-26 06:53:20,612 ERROR gunicorn.error: boom", "06:53:20 ERROR: boom"),
        ("2026-11-26 06:53:20,612 WARNING django.request: Forbidden: /find", None),
        ("7329:M 26 Nov 2026 06:53:13.411 # WARNING Memory overcommit must be enabled!", None),
        ("", None),
    ],
)
def test_only_application_lines_and_errors_count_as_events(line: str, shown: str | None) -> None:
    assert event(line) == shown


def test_a_full_disk_costs_the_log_file_its_lines_and_gives_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = io.StringIO()
    console = Console(stream, ["web"], Path("/dev/full"))

    for _ in range(3):
        console.say("Ready.")

    assert stream.getvalue().splitlines() == [
        "/dev/full lacks lines from now on: [Errno 28] No space left on device.",
        *["up  | Ready."] * 3,
    ]
    assert capsys.readouterr().err == ""
