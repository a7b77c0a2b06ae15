"""`manage.py extract --out DIR`: write kernels' source files into one folder per category."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.export.extract import extract
from curation.progress_bar import Bar
from ingest import tables


class Command(BaseCommand):
    help = (
        "Copy the source files that hold kernels to DIR/triton_kernels_organized. "
        "Files whose license does not permit that are left out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py extract --out files"
        parser.add_argument(
            "--out",
            type=Path,
            required=True,
            metavar="DIR",
            help="a new folder, or one that holds an earlier extraction",
        )

    def handle(self, *, out: Path, **options: Any) -> None:
        bar = Bar(sys.stderr)
        manifest = extract(out, progress=bar.count)
        bar.end()
        for line in (*tables.everything(), "", *tables.extraction(manifest)):
            self.stdout.write(line)
