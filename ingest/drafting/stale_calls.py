"""Search for calls that no longer fit the function that they call.

A launcher gets new parameters, and its old test stays as it was. The test would fail, and so would
its draft.
"""

from __future__ import annotations

import ast

from curation.source.functions import named_arguments, signature, unpacks


def find_stale_call(module: str, entry_point: str) -> str:
    """Return which parameters a call in the entry point leaves without a value, or which it gives
    and the function lacks, or "".

    Calls of the module's own functions by name are read, without decorators that may change them.
    """
    tree = ast.parse(module)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    entry = functions.get(entry_point)
    if entry is None:
        return ""
    own = {argument.arg for argument in ast.walk(entry) if isinstance(argument, ast.arg)}
    for node in ast.walk(entry):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in functions and name not in own:
                function = functions[name]
                plain = all(ast.unparse(d) in HARMLESS for d in function.decorator_list)
                if plain and (missing := _missing(function, node)):
                    return f"{name} is called without {', '.join(missing)}"
                if plain and (unknown := _unknown(function, node)):
                    return f"{name} is called with {unknown}"
    return ""


HARMLESS = {"torch.no_grad()", "torch.inference_mode()", "torch.compiler.disable"}


def _missing(function: ast.FunctionDef, call: ast.Call) -> list[str]:
    """Return the parameters that a call does not give, none if it unpacks arguments."""
    if unpacks(call):
        return []
    takes = signature(function.args)
    given = takes.given(call)
    return [name for name in takes.required if name not in given]


def _unknown(function: ast.FunctionDef, call: ast.Call) -> str:
    """Return the first argument that a function does not take, or ""."""
    a, takes = function.args, signature(function.args)
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if a.vararg is None and not starred and len(call.args) > len(takes.positional):
        return f"{len(call.args)} arguments where it takes {len(takes.positional)}"
    unknown = [name for name in named_arguments(call) if name not in takes.names]
    return unknown[0] if unknown and a.kwarg is None else ""
