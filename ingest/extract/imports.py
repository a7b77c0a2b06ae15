"""Names that an import statement binds, and modules that a standalone kernel may import."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from tree_sitter import Node

from ingest.extract.syntax import text_of

DYNAMIC = re.compile(rb"([A-Za-z_]\w*)\s*=\s*importlib\.import_module\(\s*[\"']([\w.-]+)[\"']\s*\)")
REMAINING = frozenset({"torch", "triton"})
"""Packages that a Triton or Gluon kernel may import besides the standard library."""
REMAINING_PALLAS = frozenset({"jax", "jaxlib", "numpy"})
"""Packages that a Pallas kernel may import besides the standard library. JAX requires numpy."""


@dataclass(frozen=True, slots=True)
class Imported:
    """One imported name.

    `from ..module import attribute as name` has level 2. `import a.b` has no attribute. An import
    without `as` binds the first part of its dotted name; then `binds_root` is true.
    """

    name: str
    module: str
    level: int = 0
    attribute: str | None = None
    binds_root: bool = False

    @property
    def is_star(self) -> bool:
        return self.attribute == "*"


def may_remain(module: str, packages: frozenset[str] = REMAINING) -> bool:
    """Return whether a standalone kernel may import this absolute module."""
    root = module.partition(".")[0]
    return root in packages or root in sys.stdlib_module_names


def read_import(node: Node) -> tuple[Imported, ...]:
    """Return the names that an import statement binds. A `from __future__` import binds none."""
    if node.type == "import_statement":
        return tuple(_plain(child) for child in node.children_by_field_name("name"))
    if node.type != "import_from_statement":
        return ()
    level, module = _module_of(node)
    if any(child.type == "wildcard_import" for child in node.children):
        return (Imported("*", module, level, "*"),)
    return tuple(_member(child, module, level) for child in node.children_by_field_name("name"))


def read_dynamic_import(statement: Node) -> tuple[Imported, ...]:
    """Return the binding of `name = importlib.import_module("module")`, if the statement is one."""
    inner = statement.named_children[0] if statement.named_children else None
    if inner is None or inner.type != "assignment":
        return ()
    match = (
        DYNAMIC.fullmatch(inner.text or b"") if inner.end_byte - inner.start_byte < 300 else None
    )
    if match is None:
        return ()
    return (Imported(match.group(1).decode("ascii"), match.group(2).decode("ascii")),)


def _plain(node: Node) -> Imported:
    if node.type == "aliased_import":
        module, alias = _dotted_and_alias(node)
        return Imported(alias, module)
    module = _joined(node)
    return Imported(module.partition(".")[0], module, binds_root=True)


def _member(node: Node, module: str, level: int) -> Imported:
    if node.type == "aliased_import":
        attribute, alias = _dotted_and_alias(node)
        return Imported(alias, module, level, attribute)
    attribute = _joined(node)
    return Imported(attribute, module, level, attribute)


def _module_of(node: Node) -> tuple[int, str]:
    module = node.child_by_field_name("module_name")
    if module is None:
        return 0, ""
    if module.type != "relative_import":
        return 0, _joined(module)
    level, name = 0, ""
    for child in module.children:
        if child.type == "import_prefix":
            level = text_of(child).count(".")
        elif child.type == "dotted_name":
            name = _joined(child)
    return level, name


def _dotted_and_alias(node: Node) -> tuple[str, str]:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (_joined(name) if name else ""), (text_of(alias) if alias else "")


def _joined(node: Node) -> str:
    # The dotted name may contain spaces and comments around its dots.
    if node.type == "identifier":
        return text_of(node)
    return ".".join(text_of(part) for part in node.named_children if part.type == "identifier")
