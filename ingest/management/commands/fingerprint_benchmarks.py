"""`manage.py fingerprint_benchmarks`: renew the fingerprints of benchmarks that the app ships."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.evidence.benchmark_files import write_fingerprints
from curation.models import Repository
from curation.sources.load import load_sources
from curation.text import pluralize
from ingest.benchmarks import fingerprint
from ingest.persist.licenses import kept_readings, license_reader


class Command(BaseCommand):
    help = (
        "Write the fingerprints of benchmarks into the folder of the shipped ones "
        "(BENCHMARK_FINGERPRINTS): hashes, names and paths, and no text."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py fingerprint_benchmarks ~/KernelBench"
        parser.add_argument(
            "sources", nargs="*", metavar="REPOSITORY_OR_FOLDER",
            help="a benchmark that was ingested, or a folder with a clone of one; by default all "
            "benchmarks that were ingested",
        )  # fmt: skip

    def handle(self, *, sources: list[str], **options: Any) -> None:
        load_sources()
        ingested = Repository.objects.benchmarks().exclude(last_commit="").order_by("name")
        benchmarks = sources or list(ingested.values_list("name", flat=True))
        if not benchmarks:
            raise CommandError("No benchmark was ingested here: name folders with clones of them.")
        folder: Path = settings.BENCHMARK_FINGERPRINTS
        folder.mkdir(parents=True, exist_ok=True)
        for source in benchmarks:
            try:
                result = fingerprint(source, license_reader())
            except CurationError as error:
                raise CommandError(str(error)) from error
            path = write_fingerprints(result, folder)
            tasks = sum(problem.is_task for problem in result.problems)
            self.stdout.write(
                f"{result.repository} at {result.commit[:12]}, "
                f"{result.license or 'license not known'}: "
                f"{pluralize(tasks, 'problem')}, "
                f"{pluralize(len(result.problems), 'text')} compared, "
                f"{path.stat().st_size:,} bytes in {path.name}."
            )
        kept_readings().write()
