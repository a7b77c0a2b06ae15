"""Graph that a trace was compiled from: its text, and that text as valid Python.

Inductor names the class `<lambda>`, which is not valid Python, and leaves the imports out.
"""

import re
from dataclasses import dataclass

from tree_sitter import Node, Query

from ingest.inductor.syntax import PYTHON, matches, parse, text

NAME = "GraphModule"

_CLASS = re.compile(r"^(\s*class )(?:<\w+>|[A-Za-z_]\w*(?:\.\w+)*)(?=\(torch\.nn\.Module\):)", re.M)
_USED_NAMES = {
    "device": "from torch import device",
    "inf": "from math import inf",
    "nan": "from math import nan",
}
_ATTRIBUTES = Query(PYTHON, '((attribute object: (identifier) @self attribute: (identifier) @name)'
                            ' (#eq? @self "self"))')  # fmt: skip
_IDENTIFIERS = Query(PYTHON, "(identifier) @name")


@dataclass(frozen=True, slots=True)
class Graph:
    """Text of a graph. `module` is Python that defines GraphModule, or empty.

    `missing` says why there is no module, or what the module lacks to be run.
    """

    path: str
    text: str
    module: str
    missing: str = ""


def read_graph(path: str, original: str) -> Graph:
    """Read the text of a `fx_graph_readable.py` (or `fx_graph_transformed.py`)."""
    first = _CLASS.search(original)
    if first is None:
        return Graph(path, original, "", "it holds no graph module")
    renamed = _CLASS.sub(rf"\g<1>{NAME}", original, count=1)
    root = parse(renamed.encode("utf-8"))
    if root.has_error:
        return Graph(path, original, "", "it is not valid Python beyond the name of its class")
    module = "\n".join([*_imports(root), "", "", renamed.strip("\n").rstrip()]) + "\n"
    absent = sorted(_attributes(root) - _inner_names(renamed))
    reason = f"it reads {', '.join(f'self.{name}' for name in absent)}, whose value is not kept"
    return Graph(path, original, module, reason if absent else "")


def _imports(root: Node) -> list[str]:
    used = {text(captures["name"][0]) for captures in matches(_IDENTIFIERS, root)}
    return ["import torch", *(line for name, line in _USED_NAMES.items() if name in used)]


def _attributes(root: Node) -> set[str]:
    return {text(captures["name"][0]) for captures in matches(_ATTRIBUTES, root)}


def _inner_names(source: str) -> set[str]:
    """Return the names of inner graphs, which are printed as classes inside the graph."""
    return set(re.findall(r"^\s+class (\w+)\(torch\.nn\.Module\):", source, re.MULTILINE))
