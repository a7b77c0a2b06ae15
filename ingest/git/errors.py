"""Errors of reading a source. Each message is for a person."""

from curation.errors import CurationError


class SourceError(CurationError):
    """A source could not be read."""


class SourceRefused(SourceError):
    """The text names no source that may be fetched."""


class RepositoryNotFound(SourceError):
    """There is no such repository, or it is not public."""


class Redirected(SourceRefused):
    """The server answered with a redirect, which git does not follow."""


class SourceUnavailable(SourceError):
    """The cause may be temporary: the network, a full disk, or a time limit."""

    retry = True


class FetchFailed(SourceUnavailable):
    """Git failed for a reason that no other error names."""
