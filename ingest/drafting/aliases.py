"""Second names of Triton functions at the top of a module."""

from __future__ import annotations

import ast
import re
from collections import Counter

from ingest.drafting.edits import Edits, parse, rewrite, walk

ROUNDS = 16


def drop_aliases(text: str) -> str:
    """Return the module whose functions have the names by which they are called.

    `erf = device_functions_erf` goes, and the function is called `erf`, if nothing else calls it
    by the longer name.
    """
    return rewrite(text, _without_one, ROUNDS)


def _without_one(text: str) -> str | None:
    tree = parse(text)
    functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    nodes = list(walk(tree))
    uses = Counter(each.id for each in nodes if isinstance(each, ast.Name))
    bound = {each.arg for each in nodes if isinstance(each, ast.arg)} | functions
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=short)], value=ast.Name(id=long)) if (
                long in functions and uses[long] == 1 and short not in bound
            ):
                stored = [
                    each for each in nodes
                    if isinstance(each, ast.Name)
                    and each.id == short
                    and isinstance(each.ctx, ast.Store)
                ]  # fmt: skip
                if len(stored) != 1:
                    continue
                edits = Edits(text)
                edits.drop(statement, alone=False)
                return re.sub(
                    rf"^def {re.escape(long)}\b", f"def {short}", edits.text(), flags=re.M
                )
    return None
