"""Filter of the lines for the terminal: events of the workbench, and errors."""

import re

LINE = re.compile(
    r"\d{4}-\d\d-\d\d (?P<time>\d\d:\d\d:\d\d),\d{3} (?P<level>[A-Z]+) (?P<logger>[\w.]+): "
    r"(?P<message>.*)"
)
# Packages of the workbench; all other loggers belong to libraries.
OURS = ("curation", "ingest", "validation")
ERRORS = ("ERROR", "CRITICAL")


def event(line: str) -> str | None:
    """Return the text of a line for the terminal, or None if only the log file has it.

    LineSplitter in another format come from Redis and rq, or continue a traceback.
    """
    match = LINE.fullmatch(line)
    if match is None:
        return None
    level = match["level"]
    if level not in ERRORS and match["logger"].partition(".")[0] not in OURS:
        return None
    mark = "" if level == "INFO" else f"{level}: "
    return f"{match['time']} {mark}{match['message']}"
