"""How the processes log, read from the environment: gunicorn's own lines begin before Django's
settings are there, and are to look the same. Knows no Django."""

import logging
import os
from typing import Any

from curation.supervisor import leftovers

FORMATS = {"text": "curation.logs.lines.ForPeople", "json": "curation.logs.lines.ForMachines"}


def config() -> dict[str, Any]:
    """For `logging.config.dictConfig`. A format that is not known is the settings' to refuse."""
    shape = os.environ.get("LOG_FORMAT") or "text"
    under_up = leftovers.VARIABLE in os.environ
    access = os.environ.get("ACCESS_LOG") or ("1" if shape == "json" else "0")
    # Python writes warnings past all logging, two lines each.
    logging.captureWarnings(shape == "json")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": FORMATS.get(shape, FORMATS["text"])}},
        "filters": {"refusals": {"()": "curation.logs.lines.RefusalsWithoutTraceback"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
        "loggers": {
            "curation.access": {"level": "WARNING" if access in ("0", "false", "no") else "INFO"},
            # A person at a shell sees the end of a run anyway. `up` shows runs as its events.
            "curation.queue.attempt": {
                "level": "INFO" if shape == "json" or under_up else "WARNING"
            },
            # A refusal (403, 404) is no error of ours: its traceback would tell nothing.
            "django.request": {"filters": ["refusals"]},
            # These come with handlers of their own, and would be heard twice.
            "django": {"handlers": [], "level": "INFO"},
            "django.server": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
        },
    }
