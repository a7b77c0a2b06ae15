"""Full names that a Python text uses on all platforms, such as `triton.language.dot` for `tl.dot`.

Code under a condition on the environment is left out, such as a branch of `if is_hip():` or the
body of a `try`. A text can run without the names that it uses only there.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from curation.source.functions import dotted_name
from curation.source.text import UNREADABLE

ENVIRONMENT = frozenset(
    {
        *("amd", "ascend", "cdna", "cuda", "enflame", "gcu", "gfx", "hip", "iluvatar", "kunlunxin"),
        *("metax", "mlu", "mthreads", "musa", "npu", "nvidia", "rdna", "rocm", "tpu", "xpu"),
        *("arch", "available", "backend", "backends", "blackwell", "capability", "hasattr"),
        *("hopper", "platform", "supported", "supports", "target", "version"),
    }
)
"""Words that mark a condition on the environment if a name or string in it contains one."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class NameUse:
    """A full name. With `keyword`, a keyword argument in a call of that name."""

    name: str
    keyword: str = ""
    value: object = None
    """Value of the keyword, if it is a constant."""


def parse(text: str) -> ast.Module | None:
    """Return the tree of a text, or None if this interpreter's Python can't parse it."""
    try:
        with warnings.catch_warnings():
            # Ignore warnings about unknown escapes in the author's strings.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except UNREADABLE:
        return None


def uses(tree: ast.Module) -> Iterator[NameUse]:
    nodes = [*unconditional(tree)]
    imported = dict(_imported(nodes))
    for name in imported.values():
        yield NameUse(name)
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Name):
            if name := _in_full(node, imported):
                yield NameUse(name)
        elif isinstance(node, ast.Call):
            name = _in_full(node.func, imported)
            for keyword in node.keywords:
                if name and keyword.arg:
                    given = keyword.value
                    value = given.value if isinstance(given, ast.Constant) else None
                    yield NameUse(name, keyword.arg, value)


def unconditional(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node that does not depend on a condition on the environment."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.Try):
            waiting += node.finalbody if node.handlers else [*node.body, *node.finalbody]
        elif isinstance(node, ast.If | ast.IfExp) and _asks_environment(node.test):
            continue
        else:
            waiting += ast.iter_child_nodes(node)


def _asks_environment(test: ast.expr) -> bool:
    for node in ast.walk(test):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                if any(word.lower() in ENVIRONMENT for word in WORD.findall(name)):
                    return True
    return False


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Map each imported name to its dotted path."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds the name `a`, but also needs `a.b`.
                yield alias.asname or alias.name, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _in_full(node: ast.expr, imported: dict[str, str]) -> str:
    parts = dotted_name(node)
    return ".".join([imported.get(parts[0], parts[0]), *parts[1:]]) if parts else ""
