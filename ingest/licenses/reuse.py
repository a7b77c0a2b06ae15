"""REUSE conventions: `X.license` beside X, REUSE.toml, .reuse/dep5 and the LICENSES folder."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ingest.licenses.records import Statement
from ingest.licenses.tags import tag_statement

SIDE_FILE = ".license"
DEP5 = ".reuse/dep5"
_MOST_PATTERNS = 2_000


@dataclass(frozen=True, slots=True)
class Annotation:
    """License that a REUSE file assigns to the paths that match its patterns."""

    source: str
    folder: str
    patterns: tuple[str, ...]
    statement: Statement

    def covers(self, path: str) -> bool:
        prefix = f"{self.folder}/" if self.folder else ""
        if not path.startswith(prefix):
            return False
        return any(_fits(path[len(prefix) :], pattern) for pattern in self.patterns)


def is_reuse_file(path: str) -> bool:
    """Return whether a file contains license annotations of other files."""
    return path == DEP5 or path.endswith(f"/{DEP5}") or path.rpartition("/")[2] == "REUSE.toml"


def is_license_text(path: str) -> bool:
    """Return whether a file is in the root's LICENSES folder. By itself, it applies to no path."""
    return path.startswith("LICENSES/") and path.count("/") == 1


def annotations(path: str, text: str) -> tuple[Annotation, ...]:
    """Return the annotations of the REUSE file at `path`, or none if the file can't be read."""
    found = _dep5(path, text) if path.endswith(DEP5) else _toml(path, text)
    return tuple(found)[:_MOST_PATTERNS]


def _toml(path: str, text: str) -> Iterator[Annotation]:
    try:
        tables = tomllib.loads(text).get("annotations", [])
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    folder = path.rpartition("/")[0]
    for table in tables if isinstance(tables, list) else []:
        if not isinstance(table, dict):
            continue
        patterns, stated = (
            _strings(table.get("path")),
            _strings(table.get("SPDX-License-Identifier")),
        )
        if patterns and stated:
            yield _annotation(path, 1, folder, patterns, " AND ".join(f"({s})" for s in stated))


def _dep5(path: str, text: str) -> Iterator[Annotation]:
    folder = path.removesuffix(DEP5).rstrip("/")
    line = 1
    for paragraph in re.split(r"(\n[ \t]*\n)", text.replace("\r\n", "\n")):
        fields: dict[str, str] = {}
        name = ""
        for row in paragraph.split("\n"):
            if row[:1] in {" ", "\t"} and name:
                fields[name] += f" {row.strip()}"
            elif ":" in row:
                name, _, value = row.partition(":")
                fields[name := name.strip().lower()] = value.strip()
        if fields.get("files") and fields.get("license"):
            stated = fields["license"].split("  ")[0]
            yield _annotation(path, line, folder, tuple(fields["files"].split()), stated)
        line += paragraph.count("\n")


def _annotation(
    path: str, line: int, folder: str, patterns: tuple[str, ...], stated: str
) -> Annotation:
    return Annotation(path, folder, patterns, tag_statement(stated, (line, line), stated, "reuse"))


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _fits(path: str, pattern: str) -> bool:
    # In REUSE, `*` does not match a slash. Here it does, which can only add terms to a path.
    return path == pattern or fnmatchcase(path, pattern.replace("**", "*"))
