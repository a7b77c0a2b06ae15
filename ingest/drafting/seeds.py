"""Removal of seeding from helpers that make inputs.

A helper with its own seed would return the same numbers in every case; `make_inputs` seeds by the
case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ingest.drafting.edits import Edits

SEEDS = {
    "torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed",
    "torch.cuda.manual_seed_all",
}  # fmt: skip


def remove_seeding(text: str, tree: ast.Module, but: str) -> str:
    """Return the text without the seeding of torch, except in the function `but`."""
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name != but:
            for block in _blocks(function):
                seeding = [statement for statement in block if _seeds(statement)]
                for statement in seeding:
                    edits.drop(statement, alone=len(seeding) == len(block))
    return edits.text()


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            # The bodies of lambdas and conditional expressions are no lists.
            if isinstance(block := getattr(node, field, None), list):
                yield block


def _seeds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=called)):
            return ast.unparse(called) in SEEDS
    return False
