"""Which files are worth parsing: a look at path and bytes before anything else."""

from __future__ import annotations

import posixpath

from ingest.extract.notebooks import SUFFIX as NOTEBOOK
from ingest.extract.records import Problem

SOURCES = (".py", NOTEBOOK)
"""The file types that are parsed as one module of Python."""
MARKDOWN = (".md", ".markdown", ".mdx")
TEMPLATES = (".jinja", ".jinja2", ".j2", ".tmpl", ".template", ".py.in")


def is_candidate(path: str, data: bytes) -> bool:
    """Whether a file can hold a kernel at all."""
    if b"pallas_call" in data and path.endswith(SOURCES):
        return True
    if b"jit" not in data:
        return False
    # Triton's own library says `from ..runtime.jit import jit` and never its own name.
    return b"triton" in data or b"gluon" in data or "triton" in posixpath.dirname(path)


def has_known_suffix(path: str) -> bool:
    return path.endswith((*SOURCES, *MARKDOWN, *TEMPLATES))


def unfit(path: str, data: bytes | None, limit: int) -> Problem | None:
    """Why a file isn't parsed, if it isn't."""
    if data is None:
        return Problem(path, None, "unreadable", "The file could not be read.")
    if len(data) > limit:
        message = f"The file has {len(data):,} bytes; files beyond {limit:,} are not parsed."
        return Problem(path, None, "too-large", message)
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return Problem(path, line, "null-byte", "The file holds a null byte, so it is no source.")
    return None
