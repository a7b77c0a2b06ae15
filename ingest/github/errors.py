"""Errors of GitHub's API. Each message is for a person, and none holds the token."""

from curation.errors import CurationError


class GitHubError(CurationError):
    """GitHub gave no usable answer."""


class TokenRefused(GitHubError):
    """The token is wrong, expired, or lacks a right."""


class RequestRefused(GitHubError):
    """GitHub understood the request and refuses it."""


class RateLimited(GitHubError):
    """GitHub asks for a longer wait than this client is willing to make."""


class GitHubUnavailable(GitHubError):
    """GitHub did not answer, or answered every attempt with an error."""


class UnexpectedAnswer(GitHubError):
    """The answer is not of the shape that GitHub documents."""
