"""A log record as a line. Neither a secret nor a row's text gets through, whoever logs it."""

import json
import logging
import re
from datetime import UTC, datetime

from curation.logs.about import known

# What a record may say beside its message; anything else that is bound to one stays behind.
FIELDS = (
    "run", "attempt", "repository", "item", "user", "request_id", "method", "path", "status",
    "duration",
)  # fmt: skip
# `up` cuts lines at 8,192 characters, and half an object is none.
LONGEST_MESSAGE = 2000
LONGEST_TRACEBACK = 4000

SECRETS = (
    (re.compile(r"(?<=://)[^\s/@'\"]+@"), "…@"),
    (re.compile(r"(?i)\b(authorization\W+|bearer\s+|basic\s+)[\w.~+/=-]{8,}"), r"\1…"),
    # The path of an invitation is a credential until it is used.
    (re.compile(r"(/join/)[^\s/?\"']+"), r"\1…"),
    (re.compile(r"\b(curation_|gh[a-z]_|github_pat_)\w[\w-]{15,}"), r"\1…"),
    # PostgreSQL tells the whole row that broke a constraint, with the text of a kernel in it.
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
    """Take the traceback from what Django logs below an error: a 403 or a 404."""

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
    """One JSON object a line."""

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
    """The first error of a chain stands at the beginning, the last one at the end."""
    half = LONGEST_TRACEBACK // 2
    return traceback if len(traceback) <= 2 * half else f"{traceback[:half]}…{traceback[-half:]}"


def _plain(value: object) -> object:
    return value if isinstance(value, int | float) else masked(str(value))[:300]
