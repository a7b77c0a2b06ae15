"""`manage.py retry validation:12`: queue the failed part of a run again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.jobs.retry import retry
from curation.web.runs import find_run


class Command(BaseCommand):
    help = (
        "Queue an ended run again: an ingest or an export with the same options, a validation or "
        "compile run with the items that crashed or have no result."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py retry validation:12 --failed"
        parser.add_argument(
            "run", nargs="+", help="the name of a run as `runs` lists it, such as validation:12"
        )
        parser.add_argument(
            "--failed",
            action="store_true",
            help="also retry items with the verdict error, timeout or failed",
        )

    def handle(self, *, run: list[str], failed: bool, **_: Any) -> None:
        for label in run:
            ended = find_run(label)
            queued = retry(ended, failed=failed)
            self.stdout.write(f"{queued.label} is queued: it retries {ended.label}.")
