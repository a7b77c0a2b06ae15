"""`manage.py pipeline [SOURCE…] --out DIR`: from repositories to files, in one command."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.evidence.funnel import funnel
from curation.progress_bar import Bar
from curation.words import counted
from ingest import tables
from ingest.management.commands.ingest import summary
from ingest.report import read_sources
from ingest.whole_way import DATASET, asked_for, check_folders, read_each, write


class Command(BaseCommand):
    help = (
        "Read sources in this process, and write what is in the database then: plain folders of "
        "source files, and a dataset of all that nobody has rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "source", nargs="*", help="as `ingest` takes them; without any, all known sources"
        )
        parser.add_argument(
            "--out", type=Path, required=True, metavar="DIR", help="a new folder, or an earlier one"
        )

    def handle(self, *, source: list[str], out: Path, **options: Any) -> None:
        check_folders(out)
        bar = Bar(sys.stderr)
        sources = asked_for(source)
        failed = []
        for number, reading in enumerate(read_each(sources), start=1):
            bar.end()
            if reading.run is None:
                failed.append(f"{reading.source}: {reading.failure}")
            said = summary(reading.run) if reading.run else f"{failed[-1]}"
            self.stdout.write(f"{number}/{len(sources)} {said}")
        written = write(out, progress=bar.count)
        bar.end()
        for line in (
            "",
            *tables.everything(),
            "",
            *tables.funnel(funnel(read_sources())),
            "",
            *tables.extraction(written.manifest),
            "",
            *written.dataset.told(),
            "",
            f"{out} holds {written.manifest['extraction_dir']}/ and {DATASET}/.",
        ):
            self.stdout.write(line)
        if failed:
            raise CommandError("\n".join([f"{counted(len(failed), 'source')} failed:", *failed]))
