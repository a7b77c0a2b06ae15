"""`manage.py ingest SOURCE…`: read repositories, in the queue or in this process."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.jobs.workers import advice, listeners
from curation.models import Category, IngestRun, Repository
from curation.text import pluralize
from ingest.jobs import ingest_now
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
        parser.add_argument(
            "--path", action="append", default=[], metavar="PATH",
            help="of a new source, read only this folder or file, and the licenses; repeatable "
            "(default: everything)",
        )  # fmt: skip
        parser.add_argument(
            "--category", choices=Category.values,
            help="the collection of a new source (default: utils)",
        )  # fmt: skip

    def handle(
        self,
        *,
        source: list[str],
        now: bool,
        again: bool,
        path: list[str],
        category: str | None,
        **options: Any,
    ) -> None:
        columns: dict[str, Any] = {"sparse_paths": path} if path else {}
        if category:
            columns["category"] = category
        failures = []
        for text in source:
            try:
                self.stdout.write(read(take_up(text, **columns), now=now, again=again))
            except CurationError as error:
                if len(source) == 1:
                    raise
                # An error in one source does not stop the others.
                failures.append(f"{text}: {error}")
        if failures:
            raise CommandError("\n".join(failures))


def read(repository: Repository, *, now: bool, again: bool, commit: str = "") -> str:
    """Read a source in this process or queue its ingest, and return a sentence about it."""
    if now:
        return summary(ingest_now(repository, again=again, commit=commit))
    listening = listeners(IngestRun.QUEUE)
    run = request_ingest(repository, again=again, commit=commit, hand_over=listening is not None)
    return f"{run} is queued{advice(listening)}."


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
