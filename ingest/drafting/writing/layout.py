"""Layout of written code: a call that is too long for a line gets several lines."""

from __future__ import annotations

import ast

from curation.source.text import Edits, parse, rewrite, walk

WIDTH = 100
ROUNDS = 200


def wrap_lines(text: str, name: str) -> str:
    """Return the module with the arguments of calls in the function `name`, and the parameters of
    each definition, in lines of their own where a line is too long.
    """
    if all(len(line) <= WIDTH for line in text.split("\n")):
        return text
    return rewrite(text, lambda text: _wrapped(text, name), ROUNDS)


def _wrapped(text: str, name: str) -> str | None:
    """Return the text with one more line wrapped, or None if no line can be."""
    lines = text.split("\n")
    long = {number for number, line in enumerate(lines, 1) if len(line) > WIDTH}
    edits = Edits(text)
    best: tuple[int, ast.Call | ast.FunctionDef] | None = None
    tree = parse(text)
    formatted = {
        id(inner) for node in walk(tree) if isinstance(node, ast.JoinedStr) for inner in walk(node)
    }
    ours = {
        number
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == name
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno in long and _is_one_line(node):
            return _definition(node, lines)
        match node:
            case ast.Return(value=ast.Tuple(elts=values), lineno=line, end_lineno=last) if (
                line == last and line in long & ours
            ):
                elements = [edits.of(each) for each in values]
                edits.put(node, f"return {_listed(elements, ' ' * node.col_offset)}")
                return edits.text()
        if not isinstance(node, ast.Call) or node.lineno not in long or id(node) in formatted:
            continue
        if node.lineno not in ours:
            continue
        if node.end_lineno != node.lineno or not (node.args or node.keywords):
            continue
        length = edits.end(node) - edits.end(node.func)
        if length > 20 and (best is None or length > best[0]):
            best = (length, node)
    if best is None or not isinstance(best[1], ast.Call):
        return None
    return _call(best[1], lines, edits)


def _is_one_line(function: ast.FunctionDef) -> bool:
    lines = {each.lineno for each in walk(function.args) if isinstance(each, ast.arg)}
    return lines == {function.lineno} and function.body[0].lineno > function.lineno


def _call(call: ast.Call, lines: list[str], edits: Edits) -> str:
    line = lines[call.lineno - 1]
    margin = line[: len(line) - len(line.lstrip())]
    parts = [
        *((edits.start(each), edits.of(each)) for each in call.args),
        *((edits.start(each), edits.of(each)) for each in call.keywords),
    ]
    arguments = [written for _, written in sorted(parts)]
    edits.replace(edits.end(call.func), edits.end(call), _listed(arguments, margin))
    return edits.text()


def _listed(arguments: list[str], margin: str) -> str:
    """Return arguments in parentheses: in one line between these, or one a line."""
    inner = f"{margin}    "
    joined = ", ".join(arguments)
    if len(inner) + len(joined) <= WIDTH:
        return f"(\n{inner}{joined}\n{margin})"
    return "(\n" + "".join(f"{inner}{each},\n" for each in arguments) + f"{margin})"


def _definition(function: ast.FunctionDef, lines: list[str]) -> str | None:
    line = lines[function.lineno - 1]
    start, end = line.index("("), line.rindex(")")
    if "->" in line:
        end = line[: line.rindex("->")].rindex(")")
    margin = line[: len(line) - len(line.lstrip())]
    parameters = _split(line[start + 1 : end])
    written = line[:start] + _listed(parameters, margin) + line[end + 1 :]
    return "\n".join([*lines[: function.lineno - 1], written, *lines[function.lineno :]])


def _split(text: str) -> list[str]:
    """Split a list of parameters at the commas between these."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
