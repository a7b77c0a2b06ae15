"""`manage.py import_pairs`: import foreign records, or say why a line can't become a pair."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.pairs.draft import PairDraft
from curation.pairs.store import store_pairs
from curation.text import pluralize
from validation.pairs.imports.foreign_records import Refusal, read

# Maximum number of refused lines to show: a file of another format has thousands.
SHOWN = 100


class Command(BaseCommand):
    help = (
        "Import pairs from a JSON Lines file: the dataset's own records, KernelBook's columns, or "
        "TritonBench-like ones. No code is run. The pairs wait for validation and review."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py import_pairs kernelbook.jsonl --dry-run"
        parser.add_argument("file", type=Path, help="JSON Lines, a record on each line")
        parser.add_argument(
            "--dry-run", action="store_true", help="read the file without storing pairs"
        )

    def handle(self, *, file: Path, dry_run: bool, **options: Any) -> None:
        refused: list[Refusal] = []
        try:
            with file.open("rb") as lines:
                drafts = _kept(read(lines), refused)
                if dry_run:
                    self.stdout.write(
                        f"{pluralize(sum(1 for _ in drafts), 'pair')} could be stored."
                    )
                else:
                    stored = store_pairs(drafts)
                    self.stdout.write(
                        f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before."
                    )
        except OSError as error:
            raise CommandError(f"{file} can't be read: {error.strerror}.") from error
        for refusal in refused[:SHOWN]:
            self.stdout.write(f"Line {refusal.line}: {refusal.reason}")
        if len(refused) > SHOWN:
            self.stdout.write(f"Only the first {SHOWN} refused lines are shown.")
        if refused:
            self.stdout.write(f"{pluralize(len(refused), 'line')} refused.")


def _kept(found: Iterator[PairDraft | Refusal], refused: list[Refusal]) -> Iterator[PairDraft]:
    for result in found:
        if isinstance(result, Refusal):
            refused.append(result)
        else:
            yield result
