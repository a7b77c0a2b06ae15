"""Order of a draft's parameters: as the author's launcher takes them.

A cut test hands its inputs over in the order in which it makes them, so a weight or a number often
comes before the tensor that it goes with.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.writing.shared_inputs import Side, read_side

FUNCTION = ast.FunctionDef


def order_parameters(texts: DraftTexts, name: str, launching: str = "") -> DraftTexts:
    """Return the texts whose sides, of the name `name`, take their parameters in the order of the
    launcher's call, those of the reference alone last.

    `launching`: the Triton side as it calls its launcher, if its text does not yet.
    """
    try:
        python, triton = read_side(texts.python_code, name), read_side(texts.triton_code, name)
        if python is None or triton is None:
            return texts
        parameters = [each.arg for each in triton.function.args.args]
        if parameters != [each.arg for each in python.function.args.args]:
            return texts
        calling = read_side(launching, name) if launching else triton
        if calling is None or {each.arg for each in calling.function.args.args} != {*parameters}:
            return texts
        order = _order(calling, parameters)
        handed = _handed(texts.test_code, len(parameters))
        if order is None or handed is None:
            return texts
        edits = Edits(texts.test_code)
        written = ", ".join(edits.of(handed.elts[parameters.index(each)]) for each in order)
        edits.put(handed, f"({written},)" if len(order) == 1 else f"({written})")
        return DraftTexts(_ordered(python, order), _ordered(triton, order), edits.text())
    except UNREADABLE:
        return texts


def _order(triton: Side, parameters: Sequence[str]) -> list[str] | None:
    """Return the parameters in the order of the call that takes most of them, or None if that is
    their order already, or no call takes two.
    """
    functions = {
        each.name: each
        for each in parse(triton.text).body
        if isinstance(each, ast.FunctionDef | ast.ClassDef)
    }
    origins = {each: each for each in parameters}
    for statement in triton.function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value):
                read = [each for each in _names(value) if each in origins]
                if read and bound not in origins:
                    origins[bound] = origins[read[0]]
    best: list[str] = []
    for node in walk(triton.function):
        if not isinstance(node, ast.Call) or _root(node.func) not in functions:
            continue
        called = functions[_root(node.func)]
        places = [each.arg for each in called.args.args] if isinstance(called, FUNCTION) else []
        keywords = [each for each in node.keywords if each.arg in places]
        keywords.sort(key=lambda each: places.index(each.arg or ""))
        others = [each for each in node.keywords if each.arg not in places]
        parts = (*node.args, *keywords, *others)
        given = [each for part in parts for each in _names(part)]
        taken = list(dict.fromkeys(origins[each] for each in given if each in origins))
        best = max(best, taken, key=len)
    order = [*best, *(each for each in parameters if each not in best)]
    return order if len(best) > 1 and order != list(parameters) else None


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.AST) -> list[str]:
    """Return the names in an expression in the order of the text."""
    names = [each for each in walk(node) if isinstance(each, ast.Name)]
    return [each.id for each in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def _handed(test: str, count: int) -> ast.Tuple | None:
    """Return the tuple that `make_inputs` returns, if it has an element for each parameter."""
    for node in parse(test).body:
        match node:
            case ast.FunctionDef(
                name="make_inputs", body=[*_, ast.Return(value=ast.Tuple(elts=elements) as handed)]
            ) if len(elements) == count:
                return handed
    return None


def _ordered(side: Side, order: Sequence[str]) -> str:
    edits = Edits(side.text)
    arguments = side.function.args.args
    written = {each.arg: edits.of(each) for each in arguments}
    for place, argument in zip(order, arguments, strict=True):
        edits.put(argument, written[place])
    return edits.text()
