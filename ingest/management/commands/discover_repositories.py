"""`manage.py discover_repositories`: search GitHub for repositories with Triton kernels."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from curation.models import Repository
from ingest.discovery import count_proposals, propose, ranked_proposals
from ingest.github import GitHubClient

# Maximum proposals to print. The admin shows and sorts all of them.
LISTED = 50


class Command(BaseCommand):
    help = (
        "Propose repositories with Triton kernels as disabled sources, and rank them by the "
        "launchers that their tests compare. GITHUB_TOKEN opens code search and raises the rate "
        "limit. No code is executed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py discover_repositories --min-stars 200 --count 50"
        parser.add_argument("--min-stars", type=int, default=100, metavar="N",
            help="leave out repositories with fewer stars (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument("--count", type=int, default=20, metavar="N",
            help="fetch the N uncounted proposals with the most stars, and count their tests, "
            "launchers and kernels (default: %(default)s; 0: none)",
        )  # fmt: skip

    def handle(self, *, min_stars: int, count: int, **options: Any) -> None:
        client = GitHubClient(
            token=settings.GITHUB_TOKEN, base_url=settings.GITHUB_API, on_wait=self._waiting
        )
        proposed = 0
        for repository in propose(client, min_stars=min_stars, on_gap=self.stderr.write):
            proposed += 1
            self.stdout.write(f"{repository.name}  {repository.stars:,} stars")
        self.stdout.write(f"{proposed:,} proposed. Enable those that you want in the admin.")
        for repository in count_proposals(max(count, 0), self.stderr.write):
            self.stderr.write(f"Counted {repository.name}.")
        self.stdout.write(_line("compared", "tests", "launchers", "kernels", "stars", "proposal"))
        for ranked in ranked_proposals()[:LISTED]:
            self.stdout.write(_ranked_line(ranked))

    def _waiting(self, seconds: float, reason: str) -> None:
        self.stderr.write(f"Waiting {seconds:.0f} s: {reason}")


def _ranked_line(proposal: Repository) -> str:
    numbers = (
        proposal.compared_launchers,
        proposal.comparing_tests,
        proposal.launcher_count,
        proposal.kernel_count,
        proposal.stars,
    )
    return _line(*("" if number is None else f"{number:,}" for number in numbers), proposal.name)


def _line(*cells: str) -> str:
    *numbers, name = cells
    return "".join(f"{number:>10}" for number in numbers) + f"  {name}"
