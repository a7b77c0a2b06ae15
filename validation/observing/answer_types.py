"""Conversion of a reference's results to the dtypes of the launcher's results.

The reference in a test often computes in float32, and the test then compares in float32.
"""

import ast

from curation.source.functions import stored_names
from curation.source.text import Edits, parse, walk
from validation.observing.edits import Change, Observed, Texts


def answer_types(texts: Texts, seen: Observed, entry: str) -> Change:
    """Convert the results of the reference whose dtype differs from that of the launcher's."""
    text = texts["python_code"]
    tree = parse(text)
    [function] = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == entry]
    wanted = _wanted(function, [case["types"] for case in seen["cases"]])
    if not any(wanted):
        return {}
    edits = Edits(text)
    for node in walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            if isinstance(value, ast.Tuple) and len(value.elts) == len(wanted):
                for element, dtype in zip(value.elts, wanted, strict=True):
                    edits.put(element, _converted(edits.of(element), element, dtype))
            elif len(wanted) == 1:
                edits.put(value, _converted(edits.of(value), value, wanted[0]))
    return {"python_code": edits.made()}


def narrowed(texts: Texts, seen: Observed, entry: str) -> Change:
    """Drop the conversion of inputs to float64, with which a test compares more precisely."""
    edits = Edits(texts["python_code"])
    # Inputs of several dtypes may need it, because some torch functions do not mix dtypes on a GPU.
    types = [
        {each for each in case["types"][0] if "float" in (each or "")} for case in seen["cases"]
    ]
    mixed = any(len(each) > 1 for each in types)
    for node in walk(parse(texts["python_code"])) if not mixed else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() as wide, attr="double"), args=[]):
                edits.put(node, edits.of(wide))
    return {"python_code": edits.made()}


def _wanted(function: ast.FunctionDef, cases: list[list[list[str | None]]]) -> list[str]:
    """Return the dtype expression to convert each result to, or ""."""
    parameters = [each.arg for each in function.args.args]
    stored = frozenset[str]().union(*map(stored_names, function.body))
    wanted: list[str] = []
    if len({len(results) for case in cases for results in case[1:]}) > 1:
        return []
    for place in range(len(cases[0][1])):
        # Each row has the dtypes of the inputs, of the reference's result and of the launcher's.
        rows = [(given, ours[place], wants[place]) for given, ours, wants in cases]
        rows = [row for row in rows if row[1] and row[2]]
        likes = (
            f"{name}.dtype"
            for number, name in enumerate(parameters)
            if name not in stored and all(given[number] == wants for given, _, wants in rows)
        )
        kinds = {wants for *_, wants in rows}
        plain = f"torch.{kinds.pop()}" if len(kinds) == 1 else ""
        differs = any(ours != wants for _, ours, wants in rows)
        dtype = next(likes, plain) if differs else ""
        wanted.append(dtype)
    return wanted


def _converted(value: str, node: ast.expr, dtype: str) -> str:
    if not dtype:
        return value
    plain = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return f"{value if plain else f'({value})'}.to({dtype})"
