"""A log record as a line: what it says, and what never gets through."""

import json
import logging
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.operations.logs import ForMachines, ForPeople, about, masked


def record(message: str, *arguments: object, **more: Any) -> logging.LogRecord:
    made = logging.LogRecord("curation.x", logging.INFO, __file__, 1, message, arguments, None)
    vars(made).update(more)
    return made


def line(made: logging.LogRecord) -> dict[str, Any]:
    written = ForMachines().format(made)
    assert "\n" not in written
    found: dict[str, Any] = json.loads(written)
    return found


def test_the_text_formatter_writes_the_usual_log_line() -> None:
    written = ForPeople().format(record("%d left", 3))

    assert written.endswith(" INFO curation.x: 3 left")


def test_the_json_formatter_writes_the_context_fields() -> None:
    with about(run="ingestrun-7", repository="a/b"), about(attempt=2):
        found = line(record("%d left", 3, duration=0.25))

    time = found.pop("time")
    assert time.endswith("+00:00")
    assert found.pop("process") > 0
    assert found == {
        "level": "INFO",
        "logger": "curation.x",
        "message": "3 left",
        "run": "ingestrun-7",
        "repository": "a/b",
        "attempt": 2,
        "duration": 0.25,
    }


def test_the_log_context_ends_with_its_block() -> None:
    with about(run="ingestrun-7"):
        pass

    assert "run" not in line(record("later"))


def test_the_json_formatter_omits_unknown_record_attributes() -> None:
    assert "def kernel" not in json.dumps(line(record("x", source="def kernel(): pass")))


@given(st.text(), st.text())
def test_any_log_message_fits_in_one_json_line(message: str, repository: str) -> None:
    with about(repository=repository):
        assert set(line(record("%s", message))) >= {"message", "repository"}


@pytest.mark.parametrize(
    "said",
    [
        "could not read https://somebody:hunter2hunter2@example.org/x.git",
        "connection to postgres://curation:hunter2hunter2@db/curation failed",
        "redis://:hunter2hunter2@cache:6379/0 refused",
        "sent Authorization: Bearer hunter2hunter2",
        "{'authorization': 'hunter2hunter2'}",
        "token curation_hunter2hunter2hunter2hunter2",
        "token ghp_hunter2hunter2hunter2",
        "GET /join/hunter2:hunter2-hunter2 200, 3 ms",
        'violates check\nDETAIL:  Failing row contains (1, hunter2hunter2, "x\n).\n y").',
    ],
)
def test_no_secret_appears_in_a_log_line(said: str) -> None:
    try:
        raise ValueError(said)
    except ValueError:
        failed = record(said, exc_info=sys.exc_info())

    for formatter in (ForPeople(), ForMachines()):
        assert "hunter2" not in formatter.format(failed), formatter
    with about(repository=said):
        assert "hunter2" not in ForMachines().format(record("x"))


def test_a_text_without_secrets_is_not_masked() -> None:
    for said in (
        "https://github.com/owner/name at 3f2a, see a@b.example",
        "Ingest 3 of owner/name is queued again: its worker stopped",
        "curation_kernel has no such column",
    ):
        assert masked(said) == said


def test_a_long_message_and_its_traceback_fit_into_a_line_of_up() -> None:
    try:
        raise ValueError("y" * 50_000)
    except ValueError:
        failed = record("x" * 50_000, exc_info=sys.exc_info())

    written = ForMachines().format(failed)
    assert len(written) < 8192
    assert "Traceback (most recent call last)" in written
