"""Name the inputs in `make_inputs` as the parameters, and all equal dtypes of a case `dtype`."""

from __future__ import annotations

import ast

from curation.source.text import UNREADABLE, Edits, parse, walk
from ingest.drafting.outcomes import DraftTexts
from ingest.drafting.writing.parameter_names import OF_A_SIDE, is_usable
from ingest.drafting.writing.renaming import rename_in
from ingest.drafting.writing.shared_inputs import SharedInputs, read_inputs, read_side


def name_inputs(texts: DraftTexts, name: str) -> DraftTexts:
    """Return the texts whose `make_inputs` calls each input as the sides do, and reads its type
    from the key `dtype` if another key always holds the same.
    """
    try:
        python, triton = read_side(texts.python_code, name), read_side(texts.triton_code, name)
        if python is None or triton is None:
            return texts
        made = texts.test_code
        inputs = read_inputs(made, python.function, triton.function)
        if inputs is not None:
            made = _with_one_type(made, inputs)
            inputs = read_inputs(made, python.function, triton.function)
        if inputs is not None:
            made = _named(made, inputs)
    except UNREADABLE:
        return texts
    return DraftTexts(texts.python_code, texts.triton_code, made)


def _with_one_type(test: str, inputs: SharedInputs) -> str:
    """Drop the keys of a type that every case repeats as `dtype`."""
    edits = Edits(test)
    keys = [key.value for key in inputs.cases[0].keys if isinstance(key, ast.Constant)]
    for key in keys:
        if key == "dtype" or not isinstance(key, str) or key in _fixed(test):
            continue
        values = [_value(row, key) for row in inputs.cases]
        if not all(
            isinstance(value, str) and value == _value(row, "dtype")
            for value, row in zip(values, inputs.cases, strict=True)
        ):
            continue
        for node in walk(inputs.function):
            match node:
                case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=read)):
                    if read == key:
                        edits.put(node, 'case["dtype"]')
        for row in inputs.cases:
            places = [each for each in row.keys if isinstance(each, ast.Constant)]
            number = [each.value for each in places].index(key)
            # The seed is a case's last key, so another one follows.
            if number + 1 < len(places):
                edits.replace(edits.start(places[number]), edits.start(places[number + 1]), "")
    return edits.text()


def _fixed(test: str) -> set[object]:
    """Return the keys that a checker must not vary."""
    for node in parse(test).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="FIXED")], value=ast.Set(elts=keys)):
                return {each.value for each in keys if isinstance(each, ast.Constant)}
    return set()


def _value(row: ast.Dict, key: str) -> object:
    for name, value in zip(row.keys, row.values, strict=True):
        if isinstance(name, ast.Constant) and name.value == key:
            return value.value if isinstance(value, ast.Constant) else None
    return None


def _named(test: str, inputs: SharedInputs) -> str:
    """Return the test whose `make_inputs` has the parameters' names, and none of a side."""
    function = inputs.function
    names = [each for each in walk(function) if isinstance(each, ast.Name)]
    taken = {each.id for each in names} | {
        each.arg for each in walk(function) if isinstance(each, ast.arg)
    }
    stored = [each.id for each in names if not isinstance(each.ctx, ast.Load)]
    inside = {
        each.arg
        for node in walk(function)
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node is not function
        for each in walk(node.args)
        if isinstance(each, ast.arg)
    }
    moves: dict[str, str] = {}
    wanted = inputs.names | {
        each: OF_A_SIDE.sub("", each) for each in dict.fromkeys(stored) if each not in inputs.names
    }
    for each, value in inputs.values().items():
        if ast.unparse(value) == "getattr(torch, case['dtype'])":
            wanted[each] = "dtype"
    for old, new in wanted.items():
        if new not in taken and old in stored and old not in inside and is_usable(new):
            moves[old] = new
            taken.add(new)
    edits = Edits(test)
    rename_in(function, moves, edits)
    return edits.text()
