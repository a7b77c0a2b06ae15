"""Errors of reading a source. Each message is for a person."""

from curation.errors import CurationError


class SourceError(CurationError):
    """A source can't be read."""


class SourceRefused(SourceError):
    """The text does not name a source that may be fetched."""


class RepositoryNotFound(SourceError):
    """The repository does not exist, or is not public."""


class Redirected(SourceRefused):
    """The server answered with a redirect. Git itself does not follow redirects."""


class SourceUnavailable(SourceError):
    """The source can't be read now. The cause may be temporary: network, full disk, time limit."""

    retry = True


class FetchFailed(SourceUnavailable):
    """Git failed for a reason that no other error class describes."""
