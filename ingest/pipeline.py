"""A source from its globs to its items, in the order in which rows are written.

A repository's files come first, so that each kernel finds the row of its file. `stages` is what
is done with a file's content, in the sandbox; rows are `persist`'s matter.
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

# Raise it when extraction makes other rows of the same bytes.
RULES = 4

# Read for what they say of other files, wherever they lie.
LICENCE_FILES = (
    "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*", "[Uu][Nn][Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*",
    "[Cc][Oo][Pp][Yy][Ii][Nn][Gg]*", "[Nn][Oo][Tt][Ii][Cc][Ee]*", "[Rr][Ee][Aa][Dd][Mm][Ee]*",
    "LICENSES/**", "REUSE.toml", ".reuse/dep5", "*.license",
)  # fmt: skip

# What is read when a source names nothing.
EVERYTHING = ("**/*.py", "**/*.md", "**/*.ipynb")


def rules() -> tuple[str, ...]:
    """The versions of all that decides what rows come of a commit: with a new one, a commit that
    has not changed is read again."""
    return (
        str(RULES),
        classification.VERSION,
        default_profile().version,
        load_policy().version,
        RULES_VERSION,
    )


def reach(named: Selection, submodules: Sequence[str] = ()) -> Selection:
    """What must be fetched: the named files, every module that their kernels may need, and where
    the listed submodules come from."""
    nested = (LISTED_IN, *submodules) if submodules else ()
    return Selection(
        include=tuple(dict.fromkeys(("**/*.py", *named.include, *nested))),
        always=LICENCE_FILES,
        sparse_paths=(*named.sparse_paths, *nested) if named.sparse_paths else (),
    )


def read(
    snapshot: Snapshot, tree: OpenTree, named: Selection, reader: Reader, progress: Progress
) -> Iterator[Item]:
    """Every named file of a snapshot, then every kernel in them, or why something was left out."""
    wanted = named.matcher()
    entries = [entry for entry in snapshot.entries if wanted(entry.path)]
    for entry in entries:
        if entry.problem is not None:
            yield _unread(entry.path, entry.problem)
    paths = [entry.path for entry in entries if entry.problem is None]
    for number, found in enumerate(tree.read_all(paths)):
        progress("read", number, len(paths))
        if isinstance(found, Absent):
            yield _unread(found.path, found.problem)
        else:
            yield reader.file(found)
    yield from reader.kernels(paths)


def _unread(path: str, problem: Problem) -> Dropped:
    reason = problem.name.lower().replace("_", "-")
    return Dropped("read", path, reason, f"{problem[0].upper()}{problem[1:]}.")
