"""A run says when it begins, how it ends and how long that took; lines in between name it."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from curation.errors import CurationError
from curation.jobs.attempt import Attempt, carry_out
from curation.models import IngestRun
from curation.operations.logs import ForMachines
from tests import factories as make

pytestmark = pytest.mark.django_db


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


def test_the_log_names_the_reason_of_a_failed_run_without_credentials(written: io.StringIO) -> None:
    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise CurationError("https://me:hunter2@example.org can't be read.")

    carry_out(IngestRun, make.an_ingest_run().pk, work)

    assert lines(written)[-1]["message"].endswith("failed: https://…@example.org can't be read.")


def test_the_log_names_the_type_of_an_exception_but_not_its_text(written: io.StringIO) -> None:
    def work(run: IngestRun, attempt: Attempt[IngestRun]) -> None:
        raise ValueError("def kernel(): ...")

    with pytest.raises(ValueError):
        carry_out(IngestRun, make.an_ingest_run().pk, work)

    assert lines(written)[-1]["message"].endswith("is tried again: ValueError")
    assert "def kernel" not in written.getvalue()
