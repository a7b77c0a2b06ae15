"""Names of drafts, and dotted names as tuples."""

from __future__ import annotations

import ast
import re
import textwrap

from ingest.drafting.edits import UNREADABLE

# Words of several capital letters.
WORDS = ("SwiGLU", "GeGLU", "SiLU", "GELU", "ReLU", "DyT", "RoPE", "ViT", "KLDiv", "MoE")


def entry_point(operation: str) -> str:
    """Return the name of the function that both sides define. No launcher has this name."""
    return f"run_{to_snake_case(operation.rpartition('.')[2])}"


def to_snake_case(name: str) -> str:
    """Convert `LigerRMSNormFunction` to `liger_rms_norm`."""
    name = re.sub(r"(Function|Func|Fn|Auto[Gg]rad)$", "", name.strip("_")) or name
    for word in WORDS:
        name = name.replace(word, word.capitalize())
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"_+", "_", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)).lower().strip("_")


def dotted_name(node: ast.AST) -> tuple[str, ...] | None:
    """Return the parts of `a.b.c`, or None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(parts))


# A sentence of a docstring: it begins like a verb, and holds no list of arguments.
SENTENCE = re.compile(r"[A-Z][a-z]+ [^\n:]{8,}?(?=[.:]?\s*$|\. )")
IMPERATIVE = {"Computes": "Compute", "Applies": "Apply", "Performs": "Perform", "Fuses": "Fuse",
              "Quantizes": "Quantize", "Calculates": "Calculate", "Adds": "Add", "Casts": "Cast",
              "Converts": "Convert", "Dequantizes": "Dequantize", "Multiplies": "Multiply",
              "Runs": "Run", "Implements": "Implement"}  # fmt: skip


def first_sentence(source: str) -> str:
    """Return the first sentence of a definition's docstring in the imperative, or "" if it tells
    nothing that a reader of another file understands.
    """
    try:
        node = ast.parse(textwrap.dedent(source)).body[0]
    except UNREADABLE:
        return ""
    text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
    paragraph = " ".join((text or "").split("\n\n")[0].split())
    found = SENTENCE.match(paragraph)
    if found is None or len(found[0]) > 90 or '"' in found[0] or "\\" in found[0]:
        return ""
    first, _, rest = found[0].partition(" ")
    if first not in IMPERATIVE and first not in IMPERATIVE.values():
        return ""
    return f"{IMPERATIVE.get(first, first)} {rest.rstrip('.')}."
