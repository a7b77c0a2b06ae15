"""Reading of comparisons outside of any function, as tutorials make them."""

from __future__ import annotations

import ast

from curation.source.functions import stored_names
from ingest.drafting.statements import find_free_names

NAME = "module"
"""The name of the function that holds a file's own statements."""

DEFINITIONS = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom,
)  # fmt: skip


def script_test(tree: ast.Module) -> ast.FunctionDef | None:
    """Return a file's own statements as a function, or None if there are none.

    Names that a function or class of the file reads are no variables of the script: they stay
    constants of the file.
    """
    read = frozenset().union(
        *(
            find_free_names(node)
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        )
    )
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, DEFINITIONS):
            continue
        if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
            body += [each for each in statement.body if not isinstance(each, DEFINITIONS)]
        elif not _is_constant(statement, read):
            body.append(statement)
    if not any(isinstance(each, ast.Assign) for each in body):
        return None
    arguments = ast.arguments([], [], None, [], [], None, [])
    made = ast.FunctionDef(NAME, arguments, body, [], lineno=body[0].lineno, col_offset=0)
    made.end_lineno = body[-1].end_lineno
    return ast.fix_missing_locations(made)


def _is_constant(statement: ast.stmt, read: frozenset[str]) -> bool:
    names = stored_names(statement)
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    return names <= read or all(name.isupper() for name in names)
