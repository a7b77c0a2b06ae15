"""`manage.py time_ladders`: times of all rungs, measured on a machine with a GPU."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.models import Pair, Status
from curation.text import pluralize
from validation.pairs.handwritten import handwritten
from validation.pairs.ladder_generation import ladder_drafts
from validation.pairs.recipes.ladders.catalog import LADDER_RECIPES
from validation.reported import store_reports


class Command(BaseCommand):
    help = "Write all rungs for the harness on a GPU, or store the report of that run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py time_ladders --write ladders.jsonl"
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "--write", type=Path, metavar="FILE.jsonl",
            help="write the rungs of the library and of the ladder recipes",
        )  # fmt: skip
        which.add_argument(
            "--report", type=Path, metavar="FILE.jsonl",
            help="store what the harness reported on the rungs that are stored here",
        )  # fmt: skip

    def handle(self, *, write: Path | None, report: Path | None, **options: Any) -> None:
        if write is not None:
            drafts = [draft for draft in handwritten() if draft.ladder]
            drafts += ladder_drafts(LADDER_RECIPES)
            records = (json.dumps(draft.as_record(), ensure_ascii=False) for draft in drafts)
            write.write_text("".join(f"{record}\n" for record in records), "utf-8")
            self.stdout.write(f"{pluralize(len(drafts), 'rung')} written to {write}.")
        if report is not None:
            rungs = Pair.objects.exclude(ladder="").exclude(status=Status.RETIRED)
            runs = store_reports(report, rungs.order_by("pk"))
            total = sum(run.total for run in runs)
            self.stdout.write(f"Results of {pluralize(total, 'rung')} stored.")
