"""The last log lines of a run, kept with its row for the people who look at its page."""

import logging
import re
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from curation.logs.about import known
from curation.logs.lines import masked

LINES = 200
LONGEST = 500
# PostgreSQL stores no NUL, and UTF-8 has no half of a character.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Journal(logging.Handler):
    """Collects lines: those written here, and whatever is logged while the run is carried out."""

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
        # Attempts write their own lines, whatever the level of their logger.
        if known().get("journal") is self and not record.name.startswith("curation.queue.attempt"):
            self._add(self._formatter.format(record))

    def news(self) -> str | None:
        """Return all lines if any came since the last call, else None."""
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
    """`text` as any database takes it: an exception may quote what a hostile program wrote."""
    return UNSTORABLE.sub("\ufffd", text)
