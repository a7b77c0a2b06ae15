"""Canonical syntax of a Python text, without names, comments, docstrings and annotations.

Two texts with the same hash are the same program, apart from names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from tree_sitter import Node

from curation.similarity.bindings import Bindings, read_bindings
from curation.similarity.literals import number, string
from curation.similarity.shingles import shingles
from curation.similarity.tree import ParseTimeout, parse, text_of

VERSION = "1"


def syntax_hash(text: str) -> str:
    """Return the SHA-256 of the canonical form."""
    return syntax_hashes(text)[0]


def syntax_hashes(text: str) -> tuple[str, str]:
    """Return `syntax_hash`, and a hash without constants, which `x + 1` and `x + 2` share."""
    try:
        parts = [*canonical(text)]
    except ParseTimeout:
        words = b"words" + shingles([text])[0].tobytes()
        return _digest(0, words), _digest(1, words)
    exact = "".join([f"{part}\0" for part in parts])
    loose = "".join(
        [CONSTANT_MARK if part.startswith(CONSTANT_MARK) else f"{part}\0" for part in parts]
    )
    return _digest(0, exact.encode("utf-8", "replace")), _digest(
        1, loose.encode("utf-8", "replace")
    )


def _digest(number: int, data: bytes) -> str:
    return hashlib.sha256(f"syntax {VERSION} {number}".encode() + data).hexdigest()


def canonical(text: str) -> Iterator[str]:
    """Yield the parts of the tree from the root. A name becomes the number of its first use."""
    root = parse(text)
    return _Walk(read_bindings(root)).parts(root)


IGNORED = frozenset(
    {
        "comment",
        "line_continuation",
        "import_statement",
        "import_from_statement",
        "future_import_statement",
        "string_start",
        "string_end",
    }
)
"""Nodes that are left out. For imports, each use of an imported name contains the origin."""

TRANSPARENT = frozenset({"parenthesized_expression", "as_pattern_target"})
CONSTANT_MARK = "="
PUNCTUATION = frozenset("()[]{},;:.=") | {"->", "def", "return", "if", "for", "while", "lambda"}
SAME_AS = {"expression_list": "tuple", "pattern_list": "tuple", "tuple_pattern": "tuple"}
CONSTANTS = frozenset({"integer", "float", "string", "concatenated_string"})

Part = Node | str


class _Walk:
    def __init__(self, bindings: Bindings) -> None:
        self.bindings = bindings
        self.numbers: dict[tuple[int, str], int] = {}
        self.named_in_strings = {
            name: f"{function}:{place}"
            for function, (_, names) in reversed([*enumerate(bindings.parameters.items())])
            for place, name in enumerate(names)
        }

    def parts(self, root: Node) -> Iterator[str]:
        pending: list[Part] = [root]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                yield part
                continue
            kind = part.type
            if kind == "identifier":
                yield self.name(part)
            elif kind in CONSTANTS:
                pending.extend(reversed(self.constant(part)))
            elif not part.is_named:
                if kind not in PUNCTUATION:
                    yield kind
            elif kind not in IGNORED:
                pending.extend(reversed(self.inside(part, kind)))

    def inside(self, node: Node, kind: str) -> list[Part]:
        if kind in TRANSPARENT:
            return [*node.children]
        if (special := SPECIAL.get(kind)) is not None:
            return special(self, node)
        if not node.child_count:
            return [kind, text_of(node)]
        return [f"({SAME_AS.get(kind, kind)}", *node.children, ")"]

    def name(self, node: Node) -> str:
        """Return a number such as `#3` for a bound name, the path for an import, or the name."""
        text = text_of(node)
        scope = self.bindings.scope_of(text, node.start_byte)
        if scope is not None:
            return f"#{self.numbers.setdefault((scope.start, text), len(self.numbers))}"
        origin = self.bindings.origin(text)
        return "." + ".".join(origin) if origin else text

    def constant(self, node: Node) -> list[Part]:
        if node.type in {"integer", "float"}:
            return [CONSTANT_MARK + number(text_of(node))]
        strings = node.named_children if node.type == "concatenated_string" else [node]
        parts: list[Part] = ["string"]
        joined = ""
        for each in strings:
            if any(child.type == "interpolation" for child in each.named_children):
                parts.extend(
                    child if child.type == "interpolation" else self.piece(text_of(child))
                    for child in each.named_children
                    if child.type in {"interpolation", "string_content"}
                )
            elif each.type == "string":
                joined += string(text_of(each)).partition("'")[2]
        return [*parts, self.piece(joined)]

    def piece(self, value: str) -> str:
        # The strings in `key=["n"]` and `META["BLOCK"]` name parameters like `n` and `BLOCK`.
        parameter = self.named_in_strings.get(value)
        if parameter is not None:
            return parameter
        return CONSTANT_MARK + value

    def attribute(self, node: Node) -> list[Part]:
        """Spell an attribute by its full path, so that `tl.load` equals `triton.language.load`."""
        members: list[str] = []
        inner: Node = node
        while inner.type == "attribute":
            member = inner.child_by_field_name("attribute")
            value = inner.child_by_field_name("object")
            if member is None or value is None:
                break
            members.append(text_of(member))
            inner = value
        path = "." + ".".join(reversed(members))
        if inner.type == "identifier":
            return [self.name(inner) + path]
        return ["(attribute", inner, path, ")"]

    def assignment(self, node: Node) -> list[Part]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return []
        return ["(assignment", left, right, ")"]

    def statement(self, node: Node) -> list[Part]:
        inner = [child for child in node.named_children if child.type != "comment"]
        if all(child.type in {"string", "concatenated_string"} for child in inner):
            return []
        if len(inner) == 1:
            return [inner[0]]
        return ["(tuple", *inner, ")"]

    def subscript(self, node: Node) -> list[Part]:
        value = node.child_by_field_name("value")
        indices = node.children_by_field_name("subscript")
        # In `x[a,]`, the index is a tuple too. `ast.unparse` writes it as `x[(a,)]`.
        listed = any(child.type == "," for child in node.children)
        inside: list[Part] = ["(tuple", *indices, ")"] if listed else [*indices]
        return ["(subscript", *([value] if value is not None else []), *inside, ")"]

    def slice(self, node: Node) -> list[Part]:
        bounds: list[Part] = [":" if child.type == ":" else child for child in node.children]
        return ["(slice", *bounds, ")"]

    def function(self, node: Node) -> list[Part]:
        fields = [node.child_by_field_name(field) for field in ("name", "parameters", "body")]
        head = "(async" if node.children and node.children[0].type == "async" else "(function"
        return [head, *(field for field in fields if field is not None), ")"]

    def parameter(self, node: Node) -> list[Part]:
        """Spell a parameter without its annotation, unless that is a form of constexpr."""
        annotation = node.child_by_field_name("type")
        value = node.child_by_field_name("value")
        name = node.child_by_field_name("name") or next(iter(node.named_children), None)
        parts: list[Part] = [name] if name is not None else []
        if annotation is not None and "constexpr" in text_of(annotation):
            parts.append("constexpr")
        return parts if value is None else ["(default", *parts, value, ")"]

    def keyword_argument(self, node: Node) -> list[Part]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return [*node.named_children]
        return ["(keyword", self.keyword_of(node, text_of(name)), value, ")"]

    def keyword_of(self, node: Node, name: str) -> str:
        """Return a parameter's position if the text defines the called function, or its name."""
        arguments = node.parent
        call = arguments.parent if arguments is not None else None
        called = call.child_by_field_name("function") if call is not None else None
        if called is not None and called.type == "subscript":
            called = called.child_by_field_name("value")
        if called is None or called.type != "identifier":
            return name
        parameters = self.bindings.parameters.get(text_of(called), ())
        return str(parameters.index(name)) if name in parameters else name


SPECIAL: dict[str, Callable[[_Walk, Node], list[Part]]] = {
    "attribute": _Walk.attribute,
    "assignment": _Walk.assignment,
    "expression_statement": _Walk.statement,
    "subscript": _Walk.subscript,
    "slice": _Walk.slice,
    "function_definition": _Walk.function,
    "typed_parameter": _Walk.parameter,
    "typed_default_parameter": _Walk.parameter,
    "default_parameter": _Walk.parameter,
    "keyword_argument": _Walk.keyword_argument,
}
