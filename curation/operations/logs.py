"""Logging of all processes: text for people, or one JSON object a line with `LOG_FORMAT=json`.

Independent of Django: gunicorn logs before the settings are loaded, in the same format. Every line
is masked: secrets and texts of rows never leave a process.
"""

import json
import logging
import logging.config
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import Any

from curation.operations import leftovers

# Allowlist of a record's extra fields; all others are dropped.
FIELDS = (
    "run", "attempt", "repository", "item", "user", "request_id", "method", "path", "status",
    "duration",
)  # fmt: skip
# Maximum characters. `up` cuts lines at 8,192, which would break a JSON object.
LONGEST_MESSAGE = 2000
LONGEST_TRACEBACK = 4000

SECRETS = (
    (re.compile(r"(?<=://)[^\s/@'\"]+@"), "…@"),
    (re.compile(r"(?i)\b(authorization\W+|bearer\s+|basic\s+)[\w.~+/=-]{8,}"), r"\1…"),
    # The path of an invitation is a credential until it is used.
    (re.compile(r"(/join/)[^\s/?\"']+"), r"\1…"),
    (re.compile(r"\b(curation_|gh[a-z]_|github_pat_)\w[\w-]{15,}"), r"\1…"),
    # PostgreSQL quotes the complete row that violated a constraint, with the text of a kernel.
    (
        re.compile(r"(Failing row contains )\(.*?(?=\nCONTEXT|\n\nThe above|\n\nDuring|\Z)", re.S),
        r"\1…",
    ),
)

_known: ContextVar[Mapping[str, object]] = ContextVar("known", default=MappingProxyType({}))


def config() -> dict[str, Any]:
    """Return the argument of `logging.config.dictConfig`. The settings refuse an unknown format."""
    json_lines = os.environ.get("LOG_FORMAT") == "json"
    access = os.environ.get("ACCESS_LOG") or ("1" if json_lines else "0")
    under_up = leftovers.VARIABLE in os.environ
    # Python prints warnings outside logging, two lines each.
    logging.captureWarnings(json_lines)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": ForMachines if json_lines else ForPeople}},
        "filters": {"refusals": {"()": RefusalsWithoutTraceback}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
        "loggers": {
            "curation.access": {"level": "WARNING" if access in ("0", "false", "no") else "INFO"},
            # Runs are logged in JSON and by `up`. A person at a shell sees the end of a run anyway.
            "curation.jobs.attempt": {"level": "INFO" if json_lines or under_up else "WARNING"},
            # A refusal (403, 404) is no server error, so its traceback has no value.
            "django.request": {"filters": ["refusals"]},
            "django.security.DisallowedHost": {"filters": ["refusals"]},
            # By default these loggers have their own handlers, so lines would appear twice.
            "django": {"handlers": [], "level": "INFO"},
            "django.server": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
        },
    }


def complain(sentence: str) -> None:
    """Report the error of a command: a sentence for people, a log line for machines."""
    if os.environ.get("LOG_FORMAT") == "json":
        _configured_log().error(sentence)
    else:
        sys.stderr.write(f"{sentence}\n")


def write_tracebacks_as_lines() -> None:
    """Log uncaught exceptions as one JSON line, because a log collector splits a traceback."""
    if os.environ.get("LOG_FORMAT") == "json":
        sys.excepthook = _log_uncaught


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    _configured_log().critical("%s: %s", kind.__name__, error, exc_info=(kind, error, trace))


def _configured_log() -> logging.Logger:
    # The command may have failed before Django's settings configured logging.
    logging.config.dictConfig(config())
    return logging.getLogger("curation")


@contextmanager
def about(**facts: object) -> Iterator[None]:
    """Add `run`, `repository` or `request_id` to the lines that are logged in this block."""
    before = _known.set({**_known.get(), **facts})
    try:
        yield
    finally:
        _known.reset(before)


def known() -> Mapping[str, object]:
    """Return the facts that the surrounding `about` blocks add."""
    return _known.get()


def masked(text: str) -> str:
    for secret, shown in SECRETS:
        text = secret.sub(shown, text)
    return text


class RefusalsWithoutTraceback(logging.Filter):
    """Drop the traceback of a 403, a 404 or a foreign Host, which Django logs as an error."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security"):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
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
    """Cut out the middle. The first error of a chain is at the start, the last at the end."""
    half = LONGEST_TRACEBACK // 2
    return traceback if len(traceback) <= 2 * half else f"{traceback[:half]}…{traceback[-half:]}"


def _plain(value: object) -> object:
    return value if isinstance(value, int | float) else masked(str(value))[:300]
