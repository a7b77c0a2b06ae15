"""Translation of git's messages into errors for a person."""

import errno
import re

from ingest.git.command import Finished
from ingest.git.errors import (
    FetchFailed,
    Redirected,
    RepositoryNotFound,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from ingest.git.source import shown

# The first match decides. The order matters: a full disk also makes git report corrupt packs.
_MEANINGS: tuple[tuple[str, type[SourceError], str], ...] = (
    (
        r"No space left on device|Disk quota exceeded",
        SourceUnavailable,
        "The disk of the data folder is full: {source} could not be fetched; free some space.",
    ),
    (
        r"Read-only file system|unable to create temporary file|"
        r"(?:unable to|cannot|could not|couldn't) (?:create|open|write|mkdir)[^\n]*"
        r"Permission denied",
        SourceError,
        "The data folder can't be written, so {source} could not be fetched.",
    ),
    (
        r"transport '[^']*' not allowed|Protocol \"[^\"]*\" (?:not supported|disabled)",
        SourceRefused,
        "{source} uses, or redirects to, a protocol that is not allowed here.",
    ),
    (
        r"The requested URL returned error: 30[12378]",
        Redirected,
        "{source} redirects more than once; give the address that it leads to.",
    ),
    (
        r"Could not resolve host|Couldn't connect|Failed to connect|Connection (?:refused|reset|"
        r"timed out)|Network is unreachable|No route to host|Operation timed out|too slow|"
        r"unable to look up|unable to connect|SSL|certificate|gnutls_handshake|Recv failure|"
        r"The requested URL returned error: (?:429|5\d\d)|Empty reply from server",
        SourceUnavailable,
        "The host of {source} can't be reached, or is overloaded; try again later.",
    ),
    (
        r"[Rr]epository '[^']*' not found|Repository not found|could not read (?:Username|"
        r"Password)|terminal prompts disabled|Authentication failed|"
        r"The requested URL returned error: 40[0134]|does not appear to be a git repository|"
        r"not valid: is this a git repository|repository not exported|Invalid username",
        RepositoryNotFound,
        "There is no public git repository at {source}: it is private, moved, deleted or misspelt.",
    ),
    (
        r"couldn't find remote ref|not our ref|no such remote ref|did not send all necessary",
        SourceError,
        "{source} no longer has the branch, tag or commit that was asked for.",
    ),
)


def failure(finished: Finished, source: str) -> SourceError:
    """Return the error for a git command that failed on `source`."""
    for expression, kind, sentence in _MEANINGS:
        if re.search(expression, finished.complaint):
            return kind(sentence.format(source=source))
    lines = [
        line for line in finished.complaint.splitlines() if "fatal:" in line or "error:" in line
    ]
    last = lines[-1] if lines else f"it ended with code {finished.code}"
    return FetchFailed(f"Git could not fetch {source}: {shown(last)}.")


def disk_failure(error: OSError, source: str) -> SourceError:
    """Return the error for a failed write to the data folder."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return SourceUnavailable(
            f"The disk of the data folder is full: {source} could not be fetched."
        )
    reason = error.strerror or type(error).__name__
    return SourceError(f"The data folder can't be used for {source}: {reason}.")
