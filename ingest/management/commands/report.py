"""`manage.py report`: what stands in the database, by source and by category, or as a funnel."""

import json
from collections import defaultdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.evidence.funnel import Stage, funnel
from curation.models import Role
from ingest.report import COVERAGE, SourceReport, report
from ingest.sources import chosen

COLUMNS = ("files", "lines", "bytes", "tokens", "kernels", "entry", "helper", "standalone")


class Command(BaseCommand):
    help = "Count files, lines, bytes, tokens and kernels by source and category, with the drops."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repository", help="the name, URL or path that `ingest` took")
        parser.add_argument("--json", action="store_true", help="one JSON document")
        parser.add_argument(
            "--funnel", action="store_true", help="how many kernels pass each stage, and why not"
        )

    def handle(self, *, repository: str | None, **options: Any) -> None:
        if options["funnel"]:
            self._funnel(list(funnel(chosen(repository).filter(role=Role.SOURCE))), options["json"])
            return
        rows = list(report(chosen(repository)))
        totals, coverage = by_category(rows), coverage_by_category(rows)
        if options["json"]:
            document = {
                "sources": [row.as_json() for row in rows],
                "categories": totals,
                "licences": coverage,
            }
            self.stdout.write(json.dumps(document, indent=2))
            return
        width = max((len(row.repository) for row in rows), default=10)
        self.stdout.write(_line(width, "source", *COLUMNS))
        for row in rows:
            counts = [f"{getattr(row, column):,}" for column in COLUMNS]
            self.stdout.write(_line(width, row.repository, *counts))
            for reason, count in row.drops.items():
                self.stdout.write(f"{'':{width}}  {count:,} dropped: {reason}")
        self.stdout.write("")
        for category, counted in totals.items():
            counts = [f"{counted[column]:,}" for column in COLUMNS]
            self.stdout.write(_line(width, category, *counts))
        self.stdout.write("")
        self.stdout.write(_line(width, "licences of kernels", *COVERAGE))
        for category, known in coverage.items():
            every = sum(known.values()) or 1
            shares = [f"{count:,} ({100 * count // every}%)" for count in known.values()]
            self.stdout.write(_line(width, category, *shares))

    def _funnel(self, stages: list[Stage], as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps([stage.as_json() for stage in stages], indent=2))
            return
        for stage in stages:
            self.stdout.write(f"{stage.count:>10,}  {stage.name}")
            for reason, count in stage.behind.items():
                self.stdout.write(f"{'':12}  {count:,} stayed behind: {reason}")


def coverage_by_category(rows: list[SourceReport]) -> dict[str, dict[str, int]]:
    """How many places of kernels have a licence of each sort."""
    totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COVERAGE, 0))
    for row in rows:
        for sort, count in row.licences.items():
            totals[row.category][sort] += count
    return dict(sorted(totals.items()))


def by_category(rows: list[SourceReport]) -> dict[str, dict[str, int]]:
    totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
    for row in rows:
        for column in COLUMNS:
            totals[row.category][column] += getattr(row, column)
    return dict(sorted(totals.items()))


def _line(width: int, name: str, *cells: str) -> str:
    return f"{name:{width}}" + "".join(f"{cell:>13}" for cell in cells)
