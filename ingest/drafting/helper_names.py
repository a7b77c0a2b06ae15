"""Names of a reference's helpers, without the side that they name."""

from __future__ import annotations

import ast
import re

from ingest.drafting.edits import UNREADABLE, parse, walk
from ingest.drafting.parameter_names import is_usable

OF_A_REFERENCE = re.compile(
    r"^_*(ref|reference|torch|pytorch|naive|native|golden)_+(?=[A-Za-z])"
    r"|_+(ref|reference)(?=_)|_+(ref|reference|torch|pytorch|naive|native|golden)(?=\d*$)",
    re.I,
)
# A first sentence that tells of the other side: "Dense reference for add_triton."
OF_A_TEST = re.compile(
    r"^(?P<margin>[ \t]*\"{3}\s*)[^.\n]*\b(reference|baseline|ground truth)\b[^.\n]*"
    r"(\bfor|\bof|implementation|used|against)\b[^\n]*?\.(\s+|(?=\"{3}))",
    re.I | re.M,
)
EMPTY = re.compile(r"^[ \t]*\"{3}\s*\"{3}[ \t]*\n", re.M)


def name_helpers(text: str, name: str) -> str:
    """Return the reference whose helpers and variables, those of the function `name` included, do
    not have names such as `softmax_ref`, where the plain name is free.
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
        free = is_usable(plain) and plain not in {*names, *moves.values(), name}
        if free and (len(plain) > 1 or old in local):
            moves[old] = plain
    for old, plain in moves.items():
        text = re.sub(rf"(?<![\w.\"'/-]){re.escape(old)}\b(?![\"'/-])", plain, text)
    return EMPTY.sub("", OF_A_TEST.sub(r"\g<margin>", text))
