"""`manage.py load_library`: the pairs that are written by hand."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.pairs.store import store_pairs
from curation.text import pluralize
from validation.pairs.handwritten import handwritten


class Command(BaseCommand):
    help = "Store the pairs that are written by hand. Pairs that are stored already do not change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py load_library"

    def handle(self, **options: Any) -> None:
        stored = store_pairs(handwritten())
        self.stdout.write(
            f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before."
        )
