"""The lines of processes that the terminal shows: events of the workbench, and errors."""

import re

LINE = re.compile(
    r"\d{4}-\d\d-\d\d (?P<time>\d\d:\d\d:\d\d),\d{3} (?P<level>[A-Z]+) (?P<logger>[\w.]+): "
    r"(?P<message>.*)"
)
# Packages of the workbench; all other loggers belong to libraries.
OURS = ("curation", "ingest", "validation")
ERRORS = ("ERROR", "CRITICAL")


def event(line: str) -> str | None:
    """Return how the terminal shows a line, or None if only the log file has it.

    Lines without our format come from Redis and rq, or go on with a traceback.
    """
    match = LINE.fullmatch(line)
    if match is None:
        return None
    level = match["level"]
    if level not in ERRORS and match["logger"].partition(".")[0] not in OURS:
        return None
    mark = "" if level == "INFO" else f"{level}: "
    return f"{match['time']} {mark}{match['message']}"
