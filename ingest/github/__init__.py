"""Discovery of repositories with Triton kernels, and the state of known ones."""

from ingest.github.client import GitHubClient, Waiting
from ingest.github.discover import discover
from ingest.github.errors import GitHubError
from ingest.github.repository import ProposedRepository, repository

__all__ = [
    "GitHubClient",
    "GitHubError",
    "ProposedRepository",
    "Waiting",
    "discover",
    "repository",
]
