"""`manage.py examine`: look for twins and benchmark problems among all that nobody looked at."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.evidence.resemblance import gather
from curation.models import ContaminationMatch, DuplicateLink
from curation.pairs.store import describe_missing, fill_min_triton
from curation.words import counted


class Command(BaseCommand):
    help = "Find twins and benchmark problems among kernels and pairs that nobody looked at yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py examine"

    def handle(self, **given: Any) -> None:
        fill_min_triton()
        described = describe_missing()
        if described:
            self.stdout.write(f"{counted(described, 'pair')} got a description.")
        found = gather()
        self.stdout.write(
            f"{counted(found.fingerprinted, 'fingerprint')} made, "
            f"{counted(found.placed, 'item')} placed among twins, "
            f"{counted(found.compared, 'item')} held against the benchmarks."
        )
        overlaps = ContaminationMatch.objects.order_by().values("kernel", "pair").distinct()
        self.stdout.write(
            f"Now {counted(DuplicateLink.objects.count(), 'near-duplicate')} of another item, "
            f"{counted(overlaps.count(), 'overlap')} with benchmarks."
        )
