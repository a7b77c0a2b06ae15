"""Items of a source: first its files, then its kernels, whose rows refer to the files' rows.

`stages` parses the files in the sandbox. `persist` writes the rows.
"""

from collections.abc import Iterator, Sequence

from ingest.candidate import Dropped, Item, Progress
from ingest.classify import classification
from ingest.confined.reader import Reader
from ingest.git import Absent, Problem, Selection, Snapshot
from ingest.git.snapshot import OpenTree
from ingest.git.submodules import LISTED_IN
from ingest.licenses import load_policy
from ingest.licenses.reader import RULES_VERSION
from ingest.quality import default_profile

# Version of the extraction. Increase it if the same files would give other rows.
RULES = 5

# These are fetched from all folders, because they may apply to files in other folders.
LICENSE_FILES = (
    "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*", "[Uu][Nn][Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*",
    "[Cc][Oo][Pp][Yy][Ii][Nn][Gg]*", "[Nn][Oo][Tt][Ii][Cc][Ee]*", "[Rr][Ee][Aa][Dd][Mm][Ee]*",
    "LICENSES/**", "REUSE.toml", ".reuse/dep5", "*.license",
)  # fmt: skip

# Files to read from a source that has no globs.
EVERYTHING = ("**/*.py", "**/*.md", "**/*.ipynb")


def rules() -> tuple[str, ...]:
    """Return the versions of all rules that affect the rows of a commit.

    If a version changes, an unchanged commit is read again.
    """
    return (
        str(RULES),
        classification.VERSION,
        default_profile().version,
        load_policy().version,
        RULES_VERSION,
    )


def reach(selection: Selection, submodules: Sequence[str] = ()) -> Selection:
    """Select the files to fetch: named files, .gitmodules, and modules that kernels may need."""
    submodule_paths = (LISTED_IN, *submodules) if submodules else ()
    return Selection(
        include=tuple(dict.fromkeys(("**/*.py", *selection.include, *submodule_paths))),
        always=LICENSE_FILES,
        sparse_paths=(*selection.sparse_paths, *submodule_paths) if selection.sparse_paths else (),
    )


def read(
    snapshot: Snapshot, tree: OpenTree, named: Selection, reader: Reader, progress: Progress
) -> Iterator[Item]:
    """Yield every named file of a snapshot, then each kernel in them or the reason of its drop."""
    is_named = named.matcher()
    entries = [entry for entry in snapshot.entries if is_named(entry.path)]
    for entry in entries:
        if entry.problem is not None:
            yield _unread(entry.path, entry.problem)
    paths = [entry.path for entry in entries if entry.problem is None]
    for number, blob in enumerate(tree.read_all(paths)):
        progress("reading files", number, len(paths))
        if isinstance(blob, Absent):
            yield _unread(blob.path, blob.problem)
        else:
            yield reader.file(blob)
    yield from reader.kernels(paths)


def _unread(path: str, problem: Problem) -> Dropped:
    reason = problem.name.lower().replace("_", "-")
    return Dropped("read", path, reason, f"{problem[0].upper()}{problem[1:]}.")
