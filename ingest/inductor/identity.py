"""Identity of a generated kernel: its source without the parts that compiling adds.

Removed are the generated name, the compiler's hash, the device's properties and paths. Shapes,
types, launch hints and the whole body stay.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node, Query

from ingest.inductor.syntax import PYTHON, matches, parse, text

NAME = "kernel"

_GENERATED = re.compile(r"triton_\w*")
_NOT_THE_KERNELS = frozenset(
    {"'kernel_name'", "'backend_hash'", "'profile_bandwidth_output'", "'profile_bandwidth_regex'"}
)
_DECORATED = Query(
    PYTHON,
    "(decorated_definition (decorator)+ @decorator"
    " definition: (function_definition name: (identifier) @name))",
)
_IDENTIFIERS = Query(PYTHON, "(identifier) @name")
_DICTIONARIES = Query(PYTHON, "(dictionary) @dictionary")
_DEVICES = Query(
    PYTHON,
    "((call function: (identifier) @function arguments: (argument_list) @arguments)"
    ' (#eq? @function "DeviceProperties"))',
)


def identity_source(source: str) -> str:
    """Return the canonical text, equal for kernels that differ only in how they were made."""
    data = source.replace("\r\n", "\n").encode("utf-8")
    root = parse(data)
    edits: dict[tuple[int, int], bytes] = {}
    generated = {
        text(captures["name"][0])
        for captures in matches(_DECORATED, root)
        if _GENERATED.fullmatch(text(captures["name"][0]))
    }
    if len(generated) == 1:
        for captures in matches(_IDENTIFIERS, root):
            node = captures["name"][0]
            if text(node) in generated:
                edits[node.start_byte, node.end_byte] = NAME.encode()
    for captures in matches(_DEVICES, root):
        arguments = captures["arguments"][0]
        edits[arguments.start_byte, arguments.end_byte] = b"()"
    for captures in matches(_DICTIONARIES, root):
        for span in _unwanted(captures["dictionary"][0]):
            edits[span] = b""
    return _without_blank_ends(_edited(data, edits).decode("utf-8"))


def _unwanted(dictionary: Node) -> Iterator[tuple[int, int]]:
    """Yield the byte spans of removed pairs, each with one comma."""
    items = [child for child in dictionary.named_children if child.type != "comment"]
    kept_before = False
    for position, item in enumerate(items):
        key = item.child_by_field_name("key")
        if key is None or text(key) not in _NOT_THE_KERNELS:
            kept_before = True
        elif kept_before:
            yield items[position - 1].end_byte, item.end_byte
        else:
            following = items[position + 1 :]
            yield item.start_byte, following[0].start_byte if following else item.end_byte


def _edited(data: bytes, edits: dict[tuple[int, int], bytes]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for (start, end), replacement in sorted(edits.items(), key=lambda e: (e[0][0], -e[0][1])):
        if start >= done:  # otherwise an outer edit replaced it
            parts += [data[done:start], replacement]
            done = end
    return b"".join(parts) + data[done:]


def _without_blank_ends(source: str) -> str:
    lines = (line.rstrip() for line in source.strip().split("\n"))
    return "\n".join(lines) + "\n"
