"""Errors of reading a source. Each message is for a person."""

from curation.errors import CurationError


class SourceError(CurationError):
    """A source could not be read."""


class SourceRefused(SourceError):
    """The text names no source that may be fetched."""


class RepositoryNotFound(SourceError):
    """There is no such repository, or it is not public."""


class RepositoryEmpty(SourceError):
    """The repository, or the folder, has nothing in it yet."""


class RefNotFound(SourceError):
    """The repository has no such branch, tag or commit (any more)."""


class Redirected(SourceRefused):
    """The server answered with a redirect, which git does not follow."""


class HostUnreachable(SourceError):
    """The host did not answer."""

    retry = True


class TookTooLong(SourceError):
    """The time limit passed."""

    retry = True


class LimitExceeded(SourceError):
    """The repository is larger than what the limits allow."""


class DiskFull(SourceError):
    """The disk of the data folder has no room."""

    retry = True


class FolderUnusable(SourceError):
    """A folder can't be read, or the data folder can't be written."""


class GitMissing(SourceError):
    """The `git` program is not installed."""


class FetchFailed(SourceError):
    """Git failed for a reason that none of the others names."""

    retry = True
