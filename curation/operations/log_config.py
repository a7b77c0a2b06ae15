"""Logging configuration, read from the environment.

Independent of Django: gunicorn logs before the settings are loaded, in the same format.
"""

import logging
import os
from typing import Any

from curation.operations import leftovers

FORMATS = {
    "text": "curation.operations.logs.ForPeople",
    "json": "curation.operations.logs.ForMachines",
}


def config() -> dict[str, Any]:
    """Return the argument of `logging.config.dictConfig`. The settings refuse an unknown format."""
    shape = os.environ.get("LOG_FORMAT") or "text"
    under_up = leftovers.VARIABLE in os.environ
    access = os.environ.get("ACCESS_LOG") or ("1" if shape == "json" else "0")
    # Python prints warnings outside logging, two lines each.
    logging.captureWarnings(shape == "json")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": FORMATS.get(shape, FORMATS["text"])}},
        "filters": {"refusals": {"()": "curation.operations.logs.RefusalsWithoutTraceback"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
        "loggers": {
            "curation.access": {"level": "WARNING" if access in ("0", "false", "no") else "INFO"},
            # A person at a shell sees the end of a run anyway. `up` shows runs as events.
            "curation.queue.attempt": {
                "level": "INFO" if shape == "json" or under_up else "WARNING"
            },
            # A refusal (403, 404) is no server error, so its traceback has no value.
            "django.request": {"filters": ["refusals"]},
            # These loggers have handlers of their own, so lines would appear twice.
            "django": {"handlers": [], "level": "INFO"},
            "django.server": {"handlers": [], "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
        },
    }
