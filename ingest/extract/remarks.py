"""Warnings about a file that was read."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.extract.module import Module
from ingest.extract.notebooks import cell_of
from ingest.extract.records import Problem


def remarks(module: Module) -> Iterator[Problem]:
    """Yield warnings about undecodable bytes and the first syntax error."""
    if module.note is not None:
        yield Problem(module.path, None, "encoding", module.note)
    if module.broken_line is not None:
        line, location = module.broken_line, "here"
        if module.cells:
            cell, start = cell_of(module.cells, line)
            line, location = line - start + 1, f"in code cell {cell}"
        message = (
            f"Something {location} doesn't parse; the kernels around it that are whole were kept."
        )
        yield Problem(module.path, line, "syntax", message)
