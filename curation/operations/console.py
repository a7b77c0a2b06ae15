"""Terminal output and log file of `up`: each line begins with the name of its process."""

import logging
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

OURS = "up"
LOG_BYTES, LOG_FILES = 5_000_000, 3

LINE = re.compile(
    r"\d{4}-\d\d-\d\d (?P<time>\d\d:\d\d:\d\d),\d{3} (?P<level>[A-Z]+) (?P<logger>[\w.]+): "
    r"(?P<message>.*)"
)
# Packages of the workbench; all other loggers belong to libraries.
PACKAGES = ("curation", "ingest", "validation")
ERRORS = ("ERROR", "CRITICAL")


def log_file(folder: Path) -> Path:
    """Return the file in the data folder that gets every line of every process."""
    return folder / "up.log"


class Console:
    """The terminal, and the log file if `log` names one.

    The terminal shows events and errors; the file has all lines. With `verbose`, or without a file,
    the terminal shows all lines unchanged.
    """

    def __init__(
        self,
        stream: TextIO,
        names: Iterable[str],
        log: Path | None = None,
        *,
        verbose: bool = False,
    ) -> None:
        self._stream = stream
        self._log = LogFile(log, self._write) if log else None
        self._verbose = verbose or log is None
        # True after the output was closed, for example by closing the terminal or by `head`.
        self.lost = False
        self._width = max(map(len, [OURS, *names]))
        # Each process has a thread that writes its lines.
        self._turn = threading.Lock()

    def line(self, name: str, line: str) -> None:
        """Write a line of a process."""
        if self._log:
            self._log.handle(logging.makeLogRecord({"msg": f"{name} | {line}"}))
        shown = line if self._verbose or name == OURS else event(line)
        if shown is not None:
            self._write(f"{name:<{self._width}} | {shown}\n")

    def say(self, sentence: str) -> None:
        """Print a sentence of `up` itself."""
        for line in sentence.splitlines():
            self.line(OURS, line)

    def block(self, lines: Sequence[str]) -> None:
        """Print lines in a frame, so that they stand out among the lines of the processes."""
        rule = "─" * max(map(len, lines))
        framed = ("", rule, "", *lines, "", rule, "")
        self._write("".join(f"  {line}".rstrip() + "\n" for line in framed))

    def _write(self, text: str) -> None:
        if self.lost:
            return
        try:
            # A terminal without UTF-8 gets escapes instead of an error.
            encoding = self._stream.encoding or "utf-8"
            with self._turn:
                self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
                self._stream.flush()
        except OSError:
            self.lost = True


class LogFile(RotatingFileHandler):
    """The log file. A full disk gives one sentence instead of a traceback for each line."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        super().__init__(
            path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8",
            errors="backslashreplace",
        )  # fmt: skip
        self.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        self._tell = [tell]

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        if self._tell:
            reason = sys.exc_info()[1]
            self._tell.pop()(f"{self.baseFilename} lacks lines from now on: {reason}.\n")


def event(line: str) -> str | None:
    """Return the text of a line for the terminal, or None if only the log file has it.

    Lines in another format come from Redis and rq, or continue a traceback.
    """
    match = LINE.fullmatch(line)
    if match is None:
        return None
    level = match["level"]
    if level not in ERRORS and match["logger"].partition(".")[0] not in PACKAGES:
        return None
    mark = "" if level == "INFO" else f"{level}: "
    return f"{match['time']} {mark}{match['message']}"
