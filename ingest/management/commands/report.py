"""`manage.py report`: print counts by source and by category, or as a funnel."""

import json
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.evidence.funnel import funnel
from curation.models import Role
from ingest import tables
from ingest.report import by_category, coverage_by_category, quality, report
from ingest.sources import chosen


class Command(BaseCommand):
    help = (
        "Count files, lines, bytes, tokens and kernels by source and category, with the drops, "
        "the licenses and the quality gates."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py report --funnel"
        parser.add_argument(
            "--repository", help="the name, URL or path that `ingest` took (default: all)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--funnel",
            action="store_true",
            help="print how many kernels pass each stage, and why the others do not",
        )

    def handle(self, *, repository: str | None, **options: Any) -> None:
        sources = chosen(repository)
        if options["funnel"]:
            stages = list(funnel(sources.filter(role=Role.SOURCE)))
            if options["json"]:
                self._write([json.dumps([stage.as_json() for stage in stages], indent=2)])
            else:
                self._write(tables.funnel(stages))
            return
        rows, gates_by_category = list(report(sources)), quality(sources)
        if options["json"]:
            document = {
                "sources": [row.as_json() for row in rows],
                "categories": by_category(rows),
                "licenses": coverage_by_category(rows),
                "quality": {
                    category: {gate: passed._asdict() for gate, passed in gates.items()}
                    for category, gates in gates_by_category.items()
                },
            }
            self._write([json.dumps(document, indent=2)])
            return
        self._write([*tables.statistics(rows), "", *tables.gates(gates_by_category)])

    def _write(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(line)
