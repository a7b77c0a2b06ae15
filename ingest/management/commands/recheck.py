"""`manage.py recheck`: compute all evidence again by the present rules. Decisions are kept."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.text import pluralize
from ingest.management.commands.ingest import read
from ingest.sources import chosen


class Command(BaseCommand):
    help = (
        "Read sources again at the commit that was read last, so that new rules for licenses, "
        "quality, kind, duplicates and benchmarks reach every kernel. No decision of a person "
        "changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py recheck --repository triton-lang/triton --now"
        parser.add_argument(
            "--repository", help="the name, URL or path that `ingest` took (default: all)"
        )
        parser.add_argument(
            "--now", action="store_true", help="run in this process instead of the queue"
        )

    def handle(self, *, repository: str | None, now: bool, **options: Any) -> None:
        failures = []
        for source in chosen(repository).filter(opted_out_at=None):
            try:
                self.stdout.write(read(source, now=now, again=True, commit=source.last_commit))
            except CurationError as error:
                # An error in one source does not stop the others.
                failures.append(f"{source}: {error}")
        if failures:
            count = pluralize(len(failures), "source")
            raise CommandError("\n".join([f"{count} failed:", *failures]))
