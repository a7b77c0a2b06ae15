"""Kernels in the Python module that Inductor writes for a graph (`output_code.py`).

They are strings: `name = async_compile.triton('name', '''source''', ...)`.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node, Query

from ingest.inductor.kernel import Origins
from ingest.inductor.syntax import PYTHON, matches, parse, text

CALL = b"async_compile.triton("
_KERNEL_PATH = re.compile(rb"^# kernel path: (.+)$", re.MULTILINE)
_CALLS = Query(
    PYTHON,
    "((call function: (attribute) @function arguments: (argument_list) @arguments) @call"
    ' (#eq? @function "async_compile.triton"))',
)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A kernel in a string."""

    name: str
    line: int
    source: str
    origins: Origins


@dataclass(frozen=True, slots=True)
class OutputCode:
    """Kernels of one module, the number of unreadable calls, and the names of kernel files."""

    kernels: tuple[Embedded, ...]
    unreadable: int
    kernel_files: frozenset[str]


def read_output_code(source: str) -> OutputCode:
    """Return every kernel that the module compiles. A broken statement costs only its kernel."""
    data = source.encode("utf-8")
    kernels: list[Embedded] = []
    for captures in matches(_CALLS, parse(data)):
        kernel = _embedded(captures["call"][0], captures["arguments"][0])
        if kernel is not None:
            kernels.append(kernel)
    files = frozenset(
        found.decode("utf-8").strip().rpartition("/")[2] for found in _KERNEL_PATH.findall(data)
    )
    return OutputCode(tuple(kernels), max(data.count(CALL) - len(kernels), 0), files)


def _embedded(call: Node, arguments: Node) -> Embedded | None:
    strings = [child for child in arguments.named_children if child.type.endswith("string")]
    if len(strings) < 2:
        return None
    name, source = _value(strings[0]), _value(strings[1])
    if name is None or source is None or not source.strip():
        return None
    statement = call
    while statement.parent is not None and not statement.type.endswith("statement"):
        statement = statement.parent
    assignment = call.parent
    if assignment is not None and assignment.type == "assignment":
        # The argument may be one name for all ("triton_"); the variable is always its own.
        name = text(assignment.named_children[0])
    body = source.lstrip("\n")
    line = strings[1].start_point[0] + 1 + (len(source) - len(body))
    return Embedded(name, line, body.rstrip() + "\n", read_origins(_comments_above(statement)))


def _value(string: Node) -> str | None:
    try:
        value = ast.literal_eval(text(string))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _comments_above(statement: Node) -> list[str]:
    """Return the comment lines directly above a statement, in file order."""
    comments: list[str] = []
    row = statement.start_point[0]
    comment = statement.prev_sibling
    while comment is not None and comment.type == "comment" and comment.start_point[0] == row - 1:
        comments.append(text(comment))
        row = comment.start_point[0]
        comment = comment.prev_sibling
    return comments[::-1]


_NODES = re.compile(
    r"(?:Topologically Sorted|Unsorted) Source Nodes: \[(.*?)\], Original ATen: \[(.*)\]"
)
_OLDER_NODES = re.compile(r"Source Nodes: \[(.*?)\], Original ATen: \[(.*)\]")
_USER_PATH = "Original path: "
_MAPPING, _FRAGMENT = "Source node to ATen node mapping:", "Graph fragment:"


def read_origins(comments: Iterable[str]) -> Origins:
    """Read the comment lines; lines of another kind are skipped."""
    nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    mapping: list[tuple[str, tuple[str, ...]]] = []
    fragment: list[str] = []
    user_path = ""
    section = ""
    for comment in comments:
        line = comment.removeprefix("#").removeprefix(" ").rstrip()
        match = _NODES.search(line) or _OLDER_NODES.search(line)
        if match:
            nodes, aten = _names(match[1]), _names(match[2])
        elif line.startswith(_USER_PATH):
            user_path = line.removeprefix(_USER_PATH)
        elif line in {_MAPPING, _FRAGMENT}:
            section = line
        elif section == _MAPPING and " => " in line:
            node, _, results = line.strip().partition(" => ")
            mapping.append((node, _names(results)))
        elif section == _FRAGMENT and line.startswith("  "):
            fragment.append(line[2:])
    return Origins(nodes, aten, tuple(mapping), "\n".join(fragment), user_path)


def _names(listing: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in listing.split(",")) if name)
