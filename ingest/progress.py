"""Tells how far an ingest is: in its row for the admin, and on the terminal for who waits there."""

import sys
import time
from typing import TextIO

from curation.models import IngestRun
from curation.queue.attempt import Attempt
from ingest.git import Progress

# Often enough to look alive, seldom enough to cost nothing.
SECONDS = 1.0


class RunProgress:
    """Called for every file; writes about once a second, which also renews the lease."""

    def __init__(self, attempt: Attempt[IngestRun]) -> None:
        self._attempt = attempt
        self._told = ("", 0.0)
        self._bar = Bar(sys.stderr)

    def __call__(self, stage: str, done: int, total: int) -> None:
        last_stage, at = self._told
        if stage == last_stage and time.monotonic() - at < SECONDS:
            return
        self._told = (stage, time.monotonic())
        self._attempt.renew(stage=stage, done=done, total=total)
        self._bar.show(stage, done, total)

    def fetching(self, progress: Progress) -> None:
        self(progress.stage[:40], progress.received_bytes, 0)


class Bar:
    """One line that is written over; silent where nobody watches."""

    WIDTH = 30

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown = out.isatty()

    def show(self, stage: str, done: int, total: int) -> None:
        if not self._shown:
            return
        filled = self.WIDTH * done // total if total else 0
        count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
        bar = f"[{'#' * filled}{' ' * (self.WIDTH - filled)}] " if total else ""
        self._out.write(f"\r\x1b[K{stage:<12} {bar}{count}")
        self._out.flush()

    def end(self) -> None:
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
