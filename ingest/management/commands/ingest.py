"""`manage.py ingest SOURCE`: read a repository, in the queue or in this process."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.errors import CurationError
from curation.models import IngestRun, Origin, Repository, RunState
from ingest.jobs import ingest
from ingest.requests import request_ingest


class Command(BaseCommand):
    help = "Read a repository's kernels: a known source by name or URL, or a folder by its path."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="owner/name, https URL, or path of a local folder")
        parser.add_argument(
            "--now", action="store_true", help="do it in this process instead of the queue"
        )

    def handle(self, *, source: str, now: bool, **options: Any) -> None:
        run = request_ingest(_repository(source), hand_over=not now)
        if not now:
            self.stdout.write(f"{run} is queued.")
            return
        ingest(run.pk)
        run = IngestRun.objects.get(pk=run.pk)
        if run.state != RunState.SUCCEEDED:
            raise CurationError(run.message)
        counts = ", ".join(f"{count} {word}" for word, count in run.funnel.items())
        self.stdout.write(f"{run.repository}: {counts or 'no kernels'}.")


def _repository(source: str) -> Repository:
    if known := Repository.objects.named(source).first():
        return known
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise CurationError(f"{source} is no known source and no folder.")
    path = str(folder.resolve())
    row, _ = Repository.objects.get_or_create(
        url=path, defaults={"name": path, "origin": Origin.FOLDER}
    )
    return row
