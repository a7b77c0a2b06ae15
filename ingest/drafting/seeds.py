"""Helpers that seed torch for themselves: their numbers would be the same in every case, where
`make_inputs` seeds by the case.
"""

from __future__ import annotations

import ast

from ingest.drafting.edits import Edits

SEEDS = {
    "torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed",
    "torch.cuda.manual_seed_all",
}  # fmt: skip


def unseeded(text: str, tree: ast.Module, but: str) -> str:
    """The text without the seeding of torch, save in the function `but`."""
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name != but:
            for node in ast.walk(function):
                match node:
                    case ast.Expr(value=ast.Call(func=called)) if ast.unparse(called) in SEEDS:
                        edits.drop(node, alone=_is_all(node, function))
    return edits.text()


def _is_all(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """Whether the block that it stands in would be left empty."""
    return any(
        block == [statement]
        for node in ast.walk(function)
        for block in (getattr(node, "body", None), getattr(node, "orelse", None))
    )
