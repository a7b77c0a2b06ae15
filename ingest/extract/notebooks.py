"""Jupyter notebooks: the text of their code cells as one module, and the cell of each line.

Outputs, images and metadata are dropped when the JSON is read.
"""

from __future__ import annotations

import json
import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SUFFIX = ".ipynb"
FORMAT = 4
"""The only version that is read. Version 3 ended in 2015, before Triton."""

PYTHON_CELLS = frozenset({"capture", "prun", "time", "timeit"})
"""Cell magics that run the cell's body as Python code in the notebook itself."""
WRITING_CELLS = frozenset({"file", "writefile"})
CELL_MAGIC = re.compile(r"\s*%%(\w+)([^\n]*)")
MAGIC = re.compile(
    r"(?P<margin>[ \t]*+)(?P<target>[\w.,\[\] \t]++=[ \t]*+(?=[%!]))?"
    r"(?:[%!](?:[^\n]*\\\n)*+[^\n]*|\?[^\n]*|[\w.*]++\?{1,2}[ \t]*(?=\n|\Z))"
)
"""Statement starts that are not Python: `%magic`, `!command`, `?name`, `name?`."""
LEXEME = re.compile(
    r"""\#[^\n]*
    |'''(?:\\.|[^\\])*?(?:'''|\Z) |\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)
    |'(?:\\.|[^\\\n'])*+'? |"(?:\\.|[^\\\n"])*+"?
    |\\\n |(?P<opens>[(\[{]) |(?P<closes>[)\]}]) |(?P<ends>\n)""",
    re.S | re.X,
)


class NotebookError(ValueError):
    """The file can't be read as a Python notebook. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """Text of the code cells without magics, and the lines at which the cells start.

    `words` also contains the Markdown cells as comments, because they may state a license.
    """

    code: str
    cells: tuple[int, ...]
    words: str


def read_notebook(data: bytes) -> Notebook:
    """Read a notebook's cells. Raises NotebookError."""
    cells = list(_cells(data))
    texts = [python_of(text) for kind, text in cells if kind == "code"]
    starts, line = [], 1
    for text in texts:
        starts.append(line)
        # An empty line between cells keeps a comment from reaching into the next cell.
        line += text.count("\n") + 2
    words = [
        textwrap.indent(text, "# ", lambda _: True) if kind == "markdown" else text
        for kind, text in cells
    ]
    return Notebook("\n\n".join(texts), tuple(starts), "\n\n".join(words))


def cell_of(cells: tuple[int, ...], line: int) -> tuple[int, int]:
    """Return the number of the code cell at a line, and the cell's first line."""
    number = max(1, bisect_right(cells, line))
    return number, cells[number - 1]


def _cells(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each code or Markdown cell."""
    try:
        document = json.loads(data)
    except RecursionError:
        raise NotebookError("Its JSON is nested too deeply.") from None
    except ValueError as error:
        raise NotebookError(f"It is not valid JSON: {error}.") from None
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise NotebookError("It has no list of cells, so it is not a notebook.")
    if document.get("nbformat") != FORMAT:
        raise NotebookError(f"Its notebook format is not {FORMAT}.")
    language = _language(document.get("metadata"))
    if language not in {"", "python", "ipython"}:
        raise NotebookError(f"Its language is {language}, not Python.")
    for cell in document["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") in {"code", "markdown"}:
            yield cell["cell_type"], _source(cell.get("source"))


def _language(metadata: Any) -> str:
    for part, name in (("kernelspec", "language"), ("language_info", "name")):
        named = metadata.get(part) if isinstance(metadata, dict) else None
        language = named.get(name) if isinstance(named, dict) else None
        if isinstance(language, str):
            return language.lower()
    return ""


def _source(written: Any) -> str:
    """Return a cell's text, given as one string or a list of lines."""
    lines = written if isinstance(written, list) else [written]
    text = "".join(line for line in lines if isinstance(line, str))
    if "\0" in text:
        raise NotebookError("A cell holds a null character, so it is no source.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # JSON can hold half of a surrogate pair, which can't be encoded.
    return text.encode("utf-8", "replace").decode("utf-8")


def python_of(cell: str) -> str:
    """Return a cell as Python with the same number of lines. IPython's magics are replaced."""
    magic = CELL_MAGIC.match(cell)
    if magic is not None:
        name, rest = magic.groups()
        is_python = name in PYTHON_CELLS or (name in WRITING_CELLS and rest.strip().endswith(".py"))
        if not is_python:
            return "\n" * cell.count("\n")
        cell = cell[: magic.start(1) - 2] + cell[magic.end() :]
    if cell[:1] in {" ", "\t"}:
        cell = textwrap.dedent(cell)
    return _without_magics(cell)


def _without_magics(cell: str) -> str:
    """Replace each magic at the start of a statement by a Python statement of as many lines."""
    pieces: list[str] = []
    at = 0
    while at < len(cell):
        magic = MAGIC.match(cell, at)
        if magic is not None:
            end = magic.end()
            stand_in = f"{magic['target']}None" if magic["target"] else "pass"
            pieces.append(magic["margin"] + stand_in + "\n" * magic[0].count("\n"))
        else:
            end = _statement_end(cell, at)
            pieces.append(cell[at:end])
        at = end
        if cell[at : at + 1] == "\n":
            pieces.append("\n")
            at += 1
    return "".join(pieces)


def _statement_end(cell: str, start: int) -> int:
    """Return the offset of the statement's end: a line end outside of brackets and strings."""
    depth = 0
    for lexeme in LEXEME.finditer(cell, start):
        if lexeme["opens"]:
            depth += 1
        elif lexeme["closes"]:
            depth = max(0, depth - 1)
        elif lexeme["ends"] and not depth:
            return lexeme.start()
    return len(cell)
