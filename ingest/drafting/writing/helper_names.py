"""Names of a reference's helpers, without the side that they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.writing.parameter_names import is_usable

OF_A_REFERENCE = re.compile(
    r"^_*(ref|reference|torch|pytorch|naive|native|golden)_+(?=[A-Za-z])"
    r"|_+(ref|reference)(?=_)|_+(ref|reference|torch|pytorch|naive|native|golden)(?=\d*$)",
    re.I,
)
# A first sentence that tells of the other side: "Dense reference for add_triton."
OF_A_TEST = re.compile(
    r"^(?P<quotes>\"{3}\s*)[^.\n]*\b(reference|baseline|ground truth)\b[^.\n]*"
    r"(\bfor|\bof|implementation|used|against)\b[^\n]*?\.(\s+|(?=\"{3}))",
    re.I,
)
# Begins the rest of a docstring that needs its first sentence.
FRAGMENT = re.compile(
    r"\"{3}\s*(\"{3}|(Args|Arguments|Parameters|Returns?|Raises|Notes?|Calls|Uses|This)\b)"
)
# Names of helpers that say too little.
VAGUE = {"loss", "forward"}


def name_helpers(text: str, name: str, reserved: Collection[str] = ()) -> str:
    """Return the reference whose helpers and variables, those of the function `name` included, do
    not have names such as `softmax_ref`, where the plain name is free.

    reserved: names that the function `name` may get. A helper becomes `compute_…` in place of them.
    """
    try:
        tree = parse(text)
        nodes = list(walk(tree))
    except UNREADABLE:
        return text
    names = {each.id for each in nodes if isinstance(each, ast.Name)}
    names |= {each.arg for each in nodes if isinstance(each, ast.arg | ast.keyword) and each.arg}
    names |= {each.name for each in nodes if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    names |= {each.asname or each.name for each in nodes if isinstance(each, ast.alias)}
    defined = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
    local = [
        each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    keywords = {each.arg for each in nodes if isinstance(each, ast.keyword | ast.arg)}
    moves: dict[str, str] = {}
    for old in dict.fromkeys([*defined, *local]):
        plain = OF_A_REFERENCE.sub("", OF_A_REFERENCE.sub("", old))
        # A keyword of this name means something else.
        if old == name or plain == old or old in keywords:
            continue
        if old in defined and (plain in reserved or plain in VAGUE):
            verb = "find" if plain.startswith("compute_") else "compute"
            plain = f"{verb}_{plain.removeprefix('compute_')}"
        free = is_usable(plain) and plain not in {*names, *moves.values(), name}
        if free and (len(plain) > 1 or old in local):
            moves[old] = plain
    for old, plain in moves.items():
        text = re.sub(rf"(?<![\w.\"'/-]){re.escape(old)}\b(?![\"'/-])", plain, text)
    return _without_sentences(text)


def _without_sentences(text: str) -> str:
    """Return the reference whose docstrings do not begin with a sentence on the other side."""
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for function in (each for each in walk(tree) if isinstance(each, ast.FunctionDef)):
        match function.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as node) as statement:
                cut = OF_A_TEST.sub(r"\g<quotes>", edits.of(node))
                if cut != edits.of(node) and FRAGMENT.match(cut):
                    edits.drop(statement, alone=len(function.body) == 1)
                elif cut != edits.of(node):
                    edits.put(node, cut)
    return edits.text()
