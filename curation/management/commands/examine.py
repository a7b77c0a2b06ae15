"""`manage.py examine`: find near-duplicates and benchmark overlaps of new items."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.evidence.refresh import refresh_similarity
from curation.models import ContaminationMatch, DuplicateLink
from curation.text import pluralize


class Command(BaseCommand):
    help = "Find near-duplicates and benchmark overlaps of items that were not compared yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py examine"

    def handle(self, **given: Any) -> None:
        outcome = refresh_similarity()
        self.stdout.write(
            f"{pluralize(outcome.fingerprinted, 'fingerprint')} made, "
            f"{pluralize(outcome.placed, 'item')} compared with each other, "
            f"{pluralize(outcome.compared, 'item')} compared with the benchmarks."
        )
        overlaps = ContaminationMatch.objects.order_by().values("kernel", "pair").distinct()
        self.stdout.write(
            f"Now {pluralize(DuplicateLink.objects.count(), 'near-duplicate')} of another item, "
            f"{pluralize(overlaps.count(), 'overlap')} with benchmarks."
        )
