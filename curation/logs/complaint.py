"""What a command says as it fails: a sentence for people, a line among the others for machines."""

import logging
import logging.config
import os
import sys
from types import TracebackType

from curation.logs.config import config


def complain(sentence: str) -> None:
    if os.environ.get("LOG_FORMAT") == "json":
        _log().error(sentence)
    else:
        sys.stderr.write(f"{sentence}\n")


def write_tracebacks_as_lines() -> None:
    """Python's own way of dying takes many lines, which a collector of logs would tear apart."""
    if os.environ.get("LOG_FORMAT") == "json":
        sys.excepthook = _last_words


def _last_words(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    _log().critical("%s: %s", kind.__name__, error, exc_info=(kind, error, trace))


def _log() -> logging.Logger:
    # It may have failed before Django's settings, with their logging, were there.
    logging.config.dictConfig(config())
    return logging.getLogger("curation")
