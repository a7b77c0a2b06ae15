"""Inductor's comment above a kernel: the operations that it was made from."""

import re
from collections.abc import Iterable

from ingest.inductor.kernel import Origins

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
