"""`manage.py import_pass_at_k`: import how many of a model's attempts passed the tests of pairs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.evidence.pass_rates import import_pass_rates
from curation.text import pluralize

# Maximum number of refused lines to print. A file of another kind has thousands.
SHOWN = 100


class Command(BaseCommand):
    help = (
        "Import pass rates of models from CSV or JSON Lines with the columns pair, model, k, n and "
        "passed. A pair is named by its record id, its number or its content hash."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py import_pass_at_k rates.csv"
        parser.add_argument("file", type=Path, help="a CSV file (.csv), or a file of JSON Lines")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            imported = import_pass_rates(file)
        except OSError as error:
            raise CommandError(f"{file} can't be read: {error.strerror}.") from error
        for row in imported.refused[:SHOWN]:
            self.stdout.write(f"Line {row.line}: {row.reason}")
        if len(imported.refused) > SHOWN:
            self.stdout.write(f"Only the first {SHOWN} refused lines are shown.")
        self.stdout.write(
            f"{pluralize(imported.added, 'pass rate')} added, {imported.changed:,} changed, "
            f"{imported.known:,} known before, {pluralize(len(imported.refused), 'line')} refused."
        )
