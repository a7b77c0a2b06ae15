"""How the processes log, read from the environment: gunicorn's own lines begin before Django's
settings are there, and are to look the same. Knows no Django."""

import logging
import os
from typing import Any

FORMATS = {"text": "curation.logs.lines.ForPeople", "json": "curation.logs.lines.ForMachines"}


def config() -> dict[str, Any]:
    """For `logging.config.dictConfig`. A format that is not known is the settings' to refuse."""
    shape = os.environ.get("LOG_FORMAT") or "text"
    access = os.environ.get("ACCESS_LOG") or ("1" if shape == "json" else "0")
    # Python writes warnings past all logging, two lines each.
    logging.captureWarnings(shape == "json")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": FORMATS.get(shape, FORMATS["text"])}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
        "loggers": {
            "curation.access": {"level": "WARNING" if access in ("0", "false", "no") else "INFO"},
            # rq says the same to people, and whoever waits at a shell sees it for himself.
            "curation.queue.attempt": {"level": "INFO" if shape == "json" else "WARNING"},
            # These come with handlers of their own, and would be heard twice.
            "django": {"handlers": [], "level": "INFO"},
            "django.server": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
        },
    }
