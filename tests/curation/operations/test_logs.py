"""A log record as a line: what it says, and what never gets through."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import CurationError
from curation.jobs.attempt import Attempt, carry_out
from curation.models import IngestRun
from curation.operations.logs import ForMachines, ForPeople, about, masked
from tests import factories as make


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


# --- Lines of a run --------------------------------------------------------------------------
@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ForMachines())
    logger = logging.getLogger("curation")
    logger.addHandler(handler)
    attempts = logging.getLogger("curation.jobs.attempt")
    before = attempts.level
    # Not by assignment: loggers remember what they were asked before.
    attempts.setLevel(logging.INFO)
    yield stream
    attempts.setLevel(before)
    logger.removeHandler(handler)


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.mark.django_db
def test_the_log_shows_start_and_end_of_a_successful_run(written: io.StringIO) -> None:
    run = make.an_ingest_run(repository=make.a_repository(name="owner/name"))

    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        logging.getLogger("curation.elsewhere").warning("something on the way")
        attempt.succeed()

    carry_out(IngestRun, run.pk, work)

    begins, between, ends = lines(written)
    for line in (begins, between, ends):
        assert (line["run"], line["attempt"]) == (f"ingestrun-{run.pk}", 1)
        assert line["repository"] == "owner/name"
    assert begins["message"].endswith("begins")
    assert ends["message"].endswith("succeeded")
    assert 0 <= ends["duration"] < 60


@pytest.mark.django_db
def test_the_log_names_the_reason_of_a_failed_run_without_credentials(written: io.StringIO) -> None:
    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise CurationError("https://me:hunter2@example.org can't be read.")

    carry_out(IngestRun, make.an_ingest_run().pk, work)

    assert lines(written)[-1]["message"].endswith("failed: https://…@example.org can't be read.")


@pytest.mark.django_db
def test_the_log_names_the_type_of_an_exception_but_not_its_text(written: io.StringIO) -> None:
    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise ValueError("def kernel(): ...")

    with pytest.raises(ValueError):
        carry_out(IngestRun, make.an_ingest_run().pk, work)

    assert lines(written)[-1]["message"].endswith("is tried again: ValueError")
    assert "def kernel" not in written.getvalue()
