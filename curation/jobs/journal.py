"""Journal of a run: its last log lines, saved with its row for the run's page."""

import logging
import re
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from curation.operations.logs import known, masked

LINES = 200
LONGEST = 500
# PostgreSQL stores no NUL, and UTF-8 encodes no lone surrogate.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Journal(logging.Handler):
    """Log handler of a run: collects the lines that are logged during the run."""

    def __init__(self, before: str = "") -> None:
        super().__init__()
        self._formatter = logging.Formatter("{asctime} {message}", "%Y-%m-%d %H:%M:%S", style="{")
        self._formatter.converter = time.gmtime
        self._lines = deque(before.splitlines(), maxlen=LINES)
        self._new = False

    def write(self, text: str) -> None:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        self._add(f"{at} {text}")

    def emit(self, record: logging.LogRecord) -> None:
        # `carry_out` adds the lines about attempts itself, because the log level may hide them.
        if known().get("journal") is self and not record.name.startswith("curation.jobs.attempt"):
            self._add(self._formatter.format(record))

    def news(self) -> str | None:
        """Return all lines if there are new ones since the previous call, otherwise None."""
        if not self._new:
            return None
        self._new = False
        return "\n".join(self._lines)

    @contextmanager
    def listening(self) -> Iterator[None]:
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)

    def _add(self, text: str) -> None:
        for line in storable(masked(text)).splitlines():
            self._lines.append(line if len(line) <= LONGEST else f"{line[:LONGEST]}…")
        self._new = True


def storable(text: str) -> str:
    """Return `text` without characters that a database refuses.

    An exception may quote text that a hostile program wrote.
    """
    return UNSTORABLE.sub("\ufffd", text)
