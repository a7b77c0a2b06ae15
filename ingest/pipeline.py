"""The stages in their order: read, extract, isolate, license. Pure: rows are `persist`'s matter.

A repository's files come first, so that each kernel finds the row of its file.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence

from curation.identity import content_hash
from curation.tokens import count_tokens
from ingest.candidate import Candidate, Dropped, FileRead, Item
from ingest.classify import classification
from ingest.extract import Extraction, extract
from ingest.extract.decoding import decode
from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.git import Absent, Blob, Problem, Selection, Snapshot
from ingest.git.snapshot import OpenTree
from ingest.git.submodules import LISTED_IN
from ingest.licenses import LicenceReader, load_policy, reader
from ingest.licensing import FileLicences
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

# Called with the stage, how many files are done and how many there are.
Progress = Callable[[str, int, int], None]


def rules() -> tuple[str, ...]:
    """The versions of all that decides what rows come of a commit: with a new one, a commit that
    has not changed is read again."""
    return (
        str(RULES),
        classification.VERSION,
        default_profile().version,
        load_policy().version,
        reader.RULES_VERSION,
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
    snapshot: Snapshot, named: Selection, licences: LicenceReader, progress: Progress
) -> Iterator[Item]:
    """Every named file of a snapshot, then every kernel in them, or why something was left out."""
    wanted = named.matcher()
    entries = [entry for entry in snapshot.entries if wanted(entry.path)]
    for entry in entries:
        if entry.problem is not None:
            yield _unread(entry.path, entry.problem)
    paths = [entry.path for entry in entries if entry.problem is None]
    with snapshot.open() as tree:
        yield from _files(tree, paths, progress)
        yield from _kernels(tree, paths, licences, progress)


def _files(tree: OpenTree, paths: list[str], progress: Progress) -> Iterator[Item]:
    for number, found in enumerate(tree.read_all(paths)):
        progress("read", number, len(paths))
        if isinstance(found, Absent):
            yield _unread(found.path, found.problem)
        else:
            yield file_read(found)


def file_read(blob: Blob) -> FileRead:
    """The facts of a file, and its text where it is one: of a notebook, that of its code cells."""
    text = _text(blob)
    return FileRead(
        path=blob.path,
        blob=blob.blob,
        sha256=hashlib.sha256(blob.data).hexdigest(),
        size=len(blob.data),
        lines=0 if not text else text.count("\n") + (not text.endswith("\n")),
        tokens=None if text is None else count_tokens(text),
        text=text,
    )


def _text(blob: Blob) -> str | None:
    if b"\0" in blob.data:
        return None
    if not blob.path.endswith(NOTEBOOK):
        return decode(blob.data).text
    try:
        return read_notebook(blob.data).code
    except NotebookError:
        return None


def _kernels(
    tree: OpenTree, paths: list[str], reader: LicenceReader, progress: Progress
) -> Iterator[Item]:
    licences = FileLicences(tree, reader)
    for found in extract(tree, paths, progress):
        if isinstance(found, Extraction):
            yield candidate(found, licences)
        else:
            yield Dropped("extract", found.path, found.code, found.message, line=found.line)


def candidate(found: Extraction, licences: FileLicences) -> Candidate:
    files = found.unit.drawn_from or (found.kernel.path,)
    return Candidate(
        kernel=found.kernel,
        unit=found.unit,
        content_hash=content_hash(found.unit.source),
        tokens=count_tokens(found.unit.source),
        licences=tuple(map(licences.of, files)),
        licence_texts=licences.texts(files),
    )


def _unread(path: str, problem: Problem) -> Dropped:
    reason = problem.name.lower().replace("_", "-")
    return Dropped("read", path, reason, f"{problem[0].upper()}{problem[1:]}.")
