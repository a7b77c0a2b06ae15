"""`manage.py ingest SOURCE…`: read repositories, in the queue or in this process."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.jobs.workers import advice, listeners
from curation.models import IngestRun
from curation.text import pluralize
from ingest.in_process import ingest_now
from ingest.requests import request_ingest
from ingest.sources import take_up


class Command(BaseCommand):
    help = "Read the kernels of repositories. Unknown ones are added to the sources."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py ingest ~/Liger-Kernel --now"
        parser.add_argument(
            "source", nargs="+", help="owner/name, https URL, or the path of a local folder"
        )
        parser.add_argument(
            "--now", action="store_true", help="run in this process instead of the queue"
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help="also read a source that is unchanged since its last ingest",
        )

    def handle(self, *, source: list[str], now: bool, again: bool, **options: Any) -> None:
        for text in source:
            repository = take_up(text)
            if now:
                self.stdout.write(summary(ingest_now(repository, again=again)))
            else:
                listening = listeners(IngestRun.QUEUE)
                run = request_ingest(repository, again=again, hand_over=listening is not None)
                self.stdout.write(f"{run} is queued{advice(listening)}.")


def summary(run: IngestRun) -> str:
    """Return the result of a run in one line."""
    if run.stage == "unchanged":
        return f"{run.repository}: nothing has changed since its last ingest."
    funnel = run.funnel
    counts = [
        pluralize(funnel["files"], "file"),
        pluralize(funnel["found"], "kernel"),
        *(f"{funnel[stage]:,} {stage}" for stage in ("standalone", "new", "dropped", "retired")),
    ]
    return f"{run.repository}: {', '.join(counts)}."
