"""`manage.py load_sources`: add and update known sources, but keep what an admin changed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.sources.load import load_sources


class Command(BaseCommand):
    help = "Load the sources that the project ships. Values that an admin changed are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py load_sources"

    def handle(self, **options: Any) -> None:
        loaded = load_sources()
        self.stdout.write(
            f"{loaded.added} added, {loaded.updated} updated, "
            f"{loaded.kept} with values of your own kept."
        )
