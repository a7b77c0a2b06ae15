"""The stages that parse foreign text: extract, isolate, license. Carried out in the sandbox."""

from collections.abc import Callable, Iterator, Sequence

from curation.identity import content_hash
from curation.tokens import count_tokens
from ingest.candidate import Candidate, Dropped, Progress, TextRead
from ingest.extract import Extraction, SourceTree, extract
from ingest.extract.decoding import decode
from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.notebooks import NotebookError, read_notebook
from ingest.licensing import FileLicences


def read_text(path: str, data: bytes) -> TextRead:
    """The text of a file where it is one: of a notebook, that of its code cells."""
    text = _text(path, data)
    return TextRead(text, None if text is None else count_tokens(text))


def _text(path: str, data: bytes) -> str | None:
    if b"\0" in data:
        return None
    if not path.endswith(NOTEBOOK):
        return decode(data).text
    try:
        return read_notebook(data).code
    except NotebookError:
        return None


def kernels(
    tree: SourceTree,
    paths: Sequence[str],
    licences: FileLicences,
    progress: Progress,
    at: Callable[[str], None],
) -> Iterator[Candidate | Dropped]:
    """Every kernel in the files `paths`, or why something in them was left out."""
    for found in extract(tree, paths, progress, at=at):
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
