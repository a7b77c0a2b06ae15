"""Names, comments and layout of a complete draft, after its code is final."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.outcomes import DraftOutcome, DraftTexts, LaunchedOperation, OperationDraft
from ingest.drafting.reading.naming import entry_names, plain_name
from ingest.drafting.writing.layout import lay_out
from ingest.drafting.writing.parameter_order import order_parameters
from ingest.drafting.writing.prose import clean_prose
from ingest.drafting.writing.renaming import name_alike, name_entry
from ingest.drafting.writing.shared_inputs import read_cases

# Keys of a case that the test or a checker reads.
READ = {"dtype", "seed"}
MOST_ALIKE = 100
"""Maximum number of operations in a repository that have the same name."""


def finish_whole(
    drafted: Iterable[DraftOutcome], outcomes: Iterable[DraftOutcome]
) -> list[DraftOutcome]:
    """Return `outcomes`, in which the drafts that were complete in `drafted` are finished. Each
    finished draft gets a name that no other draft has.
    """
    made: list[DraftOutcome] = []
    taken: set[str] = set()
    for before, after in zip(drafted, outcomes, strict=True):
        draft = after.draft
        if draft is not None and before.missing is None:
            draft = finish(draft, after.operation, taken)
            taken.add(draft.entry_point)
        made.append(replace(after, draft=draft))
    return made


def finish(
    draft: OperationDraft, operation: LaunchedOperation, taken: Container[str] = ()
) -> OperationDraft:
    """Return the draft with names as a person would choose them, and without comments on code that
    it does not have. `taken`: the entry points of the repository's other drafts.
    """
    names = draft.names or entry_names(operation.name)
    texts = name_alike(order_parameters(draft.texts, draft.entry_point), draft.entry_point, names)
    python, triton = (
        lay_out(clean_prose(text), draft.entry_point)
        for text in (texts.python_code, texts.triton_code)
    )
    texts = DraftTexts(python, triton, drop_unread_keys(clean_prose(texts.test_code)))
    return name_entry(replace(draft, texts=texts), _names(names, operation), taken)


def _names(names: tuple[str, ...], operation: LaunchedOperation) -> Iterator[str]:
    """Yield candidate names of an operation. Names with the file's name or a number come last."""
    yield from names
    place = operation.launcher or operation.kernels[0]
    yield f"{plain_name(PurePosixPath(place.path).stem)}_{names[0]}"
    for number in range(2, MOST_ALIKE):
        yield f"{names[0]}_{number}"


def drop_unread_keys(test: str) -> str:
    """Return the test with cases that lack the keys which it never reads. Cases that then differ
    only in the seed are dropped.
    """
    try:
        rows, nodes = read_cases(test), list(walk(parse(test)))
    except UNREADABLE:
        return test
    read: set[object] = {*READ}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id="FIXED")], value=ast.Set(elts=keys)):
                read |= {each.value for each in keys if isinstance(each, ast.Constant)}
            case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=key)):
                read.add(key)
    edits = Edits(test)
    shown: list[dict[str, str]] = []
    for row in rows:
        pairs = zip(row.keys, row.values, strict=True)
        kept = [(k, value) for k, value in pairs if isinstance(k, ast.Constant) and k.value in read]
        if len(kept) == len(row.keys):
            return test
        values = {str(k.value): ast.unparse(value) for k, value in kept if k.value != "seed"}
        if values in shown:
            edits.replace(edits.start(row) - row.col_offset, edits.end(row) + len(",\n"), "")
        else:
            edits.put(row, ast.unparse(ast.Dict([k for k, _ in kept], [v for _, v in kept])))
        shown.append(values)
    return edits.text()
