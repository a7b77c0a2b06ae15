"""Discovery of repositories with Triton kernels, and the state of known repositories."""

from ingest.github.client import GitHubClient, GitHubError, UnexpectedAnswer
from ingest.github.discover import discover
from ingest.github.repository import ProposedRepository, repository
