"""Errors of commands: a sentence for people, a log line for machines."""

import logging
import logging.config
import os
import sys
from types import TracebackType

from curation.operations.log_config import config


def complain(sentence: str) -> None:
    if os.environ.get("LOG_FORMAT") == "json":
        _log().error(sentence)
    else:
        sys.stderr.write(f"{sentence}\n")


def write_tracebacks_as_lines() -> None:
    """Log uncaught exceptions as JSON: a log collector would split Python's own many lines."""
    if os.environ.get("LOG_FORMAT") == "json":
        sys.excepthook = _last_words


def _last_words(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    _log().critical("%s: %s", kind.__name__, error, exc_info=(kind, error, trace))


def _log() -> logging.Logger:
    # The command may have failed before Django's settings configured logging.
    logging.config.dictConfig(config())
    return logging.getLogger("curation")
