"""`manage.py recheck`: gather all evidence again by today's rules; decisions stay."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.jobs.workers import advice, listeners
from curation.models import IngestRun, Repository
from curation.text import pluralize
from ingest.jobs import ingest_now
from ingest.management.commands.ingest import summary
from ingest.requests import request_ingest
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
        sources = chosen(repository).filter(opted_out_at=None)
        refused = [said for source in sources if (said := self._recheck(source, now))]
        if refused:
            raise CommandError(
                "\n".join([f"{pluralize(len(refused), 'source')} failed:", *refused])
            )

    def _recheck(self, source: Repository, now: bool) -> str | None:
        """Recheck one source. Return its failure, which must not stop the others."""
        try:
            if now:
                self.stdout.write(
                    summary(ingest_now(source, again=True, commit=source.last_commit))
                )
            else:
                listening = listeners(IngestRun.QUEUE)
                run = request_ingest(
                    source,
                    again=True,
                    commit=source.last_commit,
                    hand_over=listening is not None,
                )
                self.stdout.write(f"{run} is queued{advice(listening)}.")
        except CurationError as error:
            return f"{source}: {error}"
        return None
