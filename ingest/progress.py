"""Progress of an ingest: in its row for the admin, and on the terminal."""

import sys
import time

from curation.jobs.attempt import Attempt
from curation.jobs.in_process import at_shell
from curation.models import IngestRun
from curation.progress_bar import Bar
from ingest.git import Progress

# Often enough to be live, seldom enough to be cheap.
SECONDS = 1.0


class RunProgress:
    """Callback for every file. It writes about once a second, which also renews the lease."""

    def __init__(self, attempt: Attempt[IngestRun]) -> None:
        self._attempt = attempt
        self._told = ("", 0.0)
        self._bar = Bar(sys.stderr, lines=at_shell.get())

    def __call__(self, stage: str, done: int, total: int) -> None:
        last_stage, at = self._told
        if stage == last_stage and time.monotonic() - at < SECONDS:
            return
        self._told = (stage, time.monotonic())
        self._attempt.tell(stage, done, total)
        self._bar.show(stage, done, total)

    def fetching(self, progress: Progress) -> None:
        self(progress.stage[:40], progress.received_bytes, 0)
