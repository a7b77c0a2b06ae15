"""Reading of a repository's files at one commit, with a minimal fetch."""

from ingest.git.errors import SourceError
from ingest.git.fetch import fetch
from ingest.git.globs import Selection
from ingest.git.hosts import Network
from ingest.git.limits import Limits, Progress
from ingest.git.snapshot import Absent, Blob, Entry, Problem, Snapshot
from ingest.git.source import Source, SourceKind, parse_source
