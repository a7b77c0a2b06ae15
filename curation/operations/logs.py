"""Formatters of log records. They mask secrets and texts of rows in every line."""

import json
import logging
import re
from datetime import UTC, datetime

from curation.operations.log_context import known

# Allowlist of a record's extra fields; all others are dropped.
FIELDS = (
    "run", "attempt", "repository", "item", "user", "request_id", "method", "path", "status",
    "duration",
)  # fmt: skip
# `up` cuts lines at 8,192 characters, which would break a JSON object.
LONGEST_MESSAGE = 2000
LONGEST_TRACEBACK = 4000

SECRETS = (
    (re.compile(r"(?<=://)[^\s/@'\"]+@"), "…@"),
    (re.compile(r"(?i)\b(authorization\W+|bearer\s+|basic\s+)[\w.~+/=-]{8,}"), r"\1…"),
    # The path of an invitation is a credential until it is used.
    (re.compile(r"(/join/)[^\s/?\"']+"), r"\1…"),
    (re.compile(r"\b(curation_|gh[a-z]_|github_pat_)\w[\w-]{15,}"), r"\1…"),
    # PostgreSQL quotes the whole row that violated a constraint, with the text of a kernel.
    (
        re.compile(r"(Failing row contains )\(.*?(?=\nCONTEXT|\n\nThe above|\n\nDuring|\Z)", re.S),
        r"\1…",
    ),
)


def masked(text: str) -> str:
    for secret, shown in SECRETS:
        text = secret.sub(shown, text)
    return text


class RefusalsWithoutTraceback(logging.Filter):
    """Drop the traceback of records that Django logs below ERROR: a 403 or a 404."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.ERROR:
            record.exc_info = record.exc_text = None
        return True


class ForPeople(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class ForMachines(logging.Formatter):
    """Formatter for machines: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": masked(record.getMessage())[:LONGEST_MESSAGE],
        }
        facts = {**known(), **vars(record)}
        for name in FIELDS:
            if facts.get(name) is not None:
                line[name] = _plain(facts[name])
        if record.exc_info:
            line["traceback"] = _shortened(masked(self.formatException(record.exc_info)))
        return json.dumps(line, ensure_ascii=False)


def _shortened(traceback: str) -> str:
    """Cut the middle out: the first error of a chain is at the start, the last at the end."""
    half = LONGEST_TRACEBACK // 2
    return traceback if len(traceback) <= 2 * half else f"{traceback[:half]}…{traceback[-half:]}"


def _plain(value: object) -> object:
    return value if isinstance(value, int | float) else masked(str(value))[:300]
