"""Selection of the files that are worth parsing, by path and bytes."""

from __future__ import annotations

import posixpath

from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.records import Problem

SOURCES = (".py", NOTEBOOK)
"""File types that are parsed as one Python module."""
MARKDOWN = (".md", ".markdown", ".mdx")
FILE_LIMIT = 2_000_000
"""Bytes of a file; larger ones are not parsed."""
TEMPLATES = (".jinja", ".jinja2", ".j2", ".tmpl", ".template", ".py.in")


def is_candidate(path: str, data: bytes) -> bool:
    """Return whether a file can hold a kernel."""
    if b"pallas_call" in data and path.endswith(SOURCES):
        return True
    if b"jit" not in data:
        return False
    # Triton's own library imports `from ..runtime.jit import jit` and never names itself.
    return b"triton" in data or b"gluon" in data or "triton" in posixpath.dirname(path)


def has_known_suffix(path: str) -> bool:
    return path.endswith((*SOURCES, *MARKDOWN, *TEMPLATES))


def unfit(path: str, data: bytes | None) -> Problem | None:
    """Return the reason why a file can't be parsed, or None."""
    if data is None:
        return Problem(path, None, "unreadable", "The file could not be read.")
    if len(data) > FILE_LIMIT:
        message = f"The file has {len(data):,} bytes; files beyond {FILE_LIMIT:,} are not parsed."
        return Problem(path, None, "too-large", message)
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return Problem(path, line, "null-byte", "The file holds a null byte, so it is no source.")
    return None
