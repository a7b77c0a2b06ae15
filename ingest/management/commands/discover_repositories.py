"""`manage.py discover_repositories`: ask GitHub for repositories that hold Triton kernels."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from ingest.discovery import propose
from ingest.github import GitHubClient, Waiting


class Command(BaseCommand):
    help = (
        "Propose repositories with Triton kernels as disabled sources. GITHUB_TOKEN opens code "
        "search and raises the rate limit."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py discover_repositories --min-stars 200"
        parser.add_argument("--min-stars", type=int, default=100, metavar="N",
            help="leave out repositories with fewer stars (default: %(default)s)",
        )  # fmt: skip

    def handle(self, *, min_stars: int, **options: Any) -> None:
        client = GitHubClient(
            token=settings.GITHUB_TOKEN, base_url=settings.GITHUB_API, on_wait=self._waiting
        )
        count = 0
        for repository in propose(client, min_stars=min_stars, on_gap=self.stderr.write):
            count += 1
            self.stdout.write(f"{repository.name}  {repository.stars:,} stars")
        self.stdout.write(f"{count:,} proposed. Enable those that you want in the admin.")

    def _waiting(self, waiting: Waiting) -> None:
        self.stderr.write(f"Waiting {waiting.seconds:.0f} s: {waiting.reason}")
