"""Order of a draft's parameters: the order in which the author's launcher takes them.

A cut test passes its inputs in the order in which it creates them. So a weight or a number often
comes before the tensor that it belongs to.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from curation.source.functions import dotted_name, signature
from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.writing.shared_inputs import read_handed, read_side


def order_parameters(texts: DraftTexts, name: str) -> DraftTexts:
    """Return the texts in which the functions `name` take their parameters in the order of the
    launcher's call. Parameters that only the reference reads come last.
    """
    try:
        python, triton = read_side(texts.python_code, name), read_side(texts.triton_code, name)
        if python is None or triton is None:
            return texts
        parameters = [each.arg for each in triton.args.args]
        order = _order(triton, parse(texts.triton_code), parameters)
        handed = read_handed(texts.test_code, len(parameters))
        if handed is None or parameters in (order, []):
            return texts
        if parameters != [each.arg for each in python.args.args]:
            return texts
        places = [parameters.index(each) for each in order]
        return DraftTexts(
            _ordered(texts.python_code, python.args.args, places),
            _ordered(texts.triton_code, triton.args.args, places),
            _ordered(texts.test_code, handed.elts, places),
        )
    except UNREADABLE:
        return texts


def _order(side: ast.FunctionDef, tree: ast.Module, parameters: Sequence[str]) -> list[str]:
    """Return the parameters in the order of the call that takes most of them (at least two)."""
    defined = {
        each.name: each for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)
    }
    origins = {each: each for each in parameters}
    for statement in side.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value):
                read = [each for each in _names(value) if each in origins]
                if read and bound not in origins:
                    origins[bound] = origins[read[0]]
    best: list[str] = []
    for node in walk(side):
        called = dotted_name(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and called and called[0] in defined:
            taken = _taken(node, defined[called[0]], origins)
            best = max(best, taken, key=len)
    best = best if len(best) > 1 else []
    return [*best, *(each for each in parameters if each not in best)]


def _taken(call: ast.Call, called: ast.AST, origins: Mapping[str, str]) -> list[str]:
    """Return the parameters that a call passes on, in the order in which it takes them."""
    names = signature(called.args).names if isinstance(called, ast.FunctionDef) else ()
    keywords = sorted(
        call.keywords,
        key=lambda each: names.index(each.arg) if each.arg in names else len(names),
    )
    given = [each for part in (*call.args, *keywords) for each in _names(part)]
    return list(dict.fromkeys(origins[each] for each in given if each in origins))


def _names(node: ast.AST) -> list[str]:
    """Return the names in an expression, in the order of the text."""
    names = [each for each in walk(node) if isinstance(each, ast.Name)]
    return [each.id for each in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def _ordered(text: str, nodes: Sequence[ast.AST], places: Sequence[int]) -> str:
    edits = Edits(text)
    for node, place in zip(nodes, places, strict=True):
        edits.put(node, edits.of(nodes[place]))
    return edits.text()
