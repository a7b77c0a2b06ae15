"""Merging of a helper into its caller, if only one function calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from curation.source.branches import blocks
from curation.source.functions import is_docstring, loaded_names, signature, stored_names
from curation.source.text import Edits, parse, walk
from validation.observing.edits import Change, Observed, Texts, body_start, copied, whole_lines
from validation.observing.instrument import is_kernel
from validation.observing.parameters import find_calls

SIDES = ("python_code", "triton_code")
# Maximum statements of a short helper, and of a caller that is short apart from the call.
SHORT_HELPER, SHORT_CALLER = 2, 5
WHOLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.Tuple)
"""Expressions that need no parentheses inside another expression."""
Pairs = list[tuple[ast.expr, ast.expr]]


@dataclass(frozen=True, slots=True)
class _Merge:
    """The only call of a helper, in a statement of the calling function."""

    caller: ast.FunctionDef
    statement: ast.stmt
    call: ast.Call
    helper: ast.FunctionDef

    @property
    def passes(self) -> bool:
        """Return whether the caller directly returns the result of the helper."""
        return isinstance(self.statement, ast.Return) and self.statement.value is self.call

    @property
    def last(self) -> ast.expr | None:
        last = self.helper.body[-1]
        return last.value if isinstance(last, ast.Return) else None

    def reads(self, given: ast.Name) -> bool:
        """Return whether the caller reads a variable after the call."""
        inside = {*walk(self.call)}
        return any(
            isinstance(node, ast.Name) and node.id == given.id and node not in inside
            for node in walk(self.caller)
            if getattr(node, "lineno", 0) >= self.statement.lineno
        )

    def results(self) -> Pairs:
        """Return the targets of the call's results, each with its expression in the helper."""
        match self.statement, self.last:
            case ast.Assign(targets=[target], value=value), ast.expr() as last if (
                value is self.call
            ):
                if not isinstance(target, ast.Tuple):
                    return [(target, last)]
                if isinstance(last, ast.Tuple) and len(last.elts) == len(target.elts):
                    return list(zip(target.elts, last.elts, strict=True))
        return []

    def is_possible(self) -> bool:
        a, ends = self.helper.args, [n for n in walk(self.helper) if isinstance(n, ast.Return)]
        return (
            not (a.vararg or a.kwarg)
            and self.helper.body[0].lineno > self.helper.lineno
            and (self.passes or ends == [n for n in self.helper.body[-1:] if n in ends])
            and (self.passes or self.last is not None or isinstance(self.statement, ast.Expr))
            and not (self.helper.decorator_list and self.caller.decorator_list)
        )


def merge_helpers(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace the only call of a helper by the helper's body, if helper or caller is short."""
    for name in SIDES:
        for merge in _merges(parse(texts[name])):
            given = signature(merge.helper.args).bind(merge.call)
            if merge.is_possible() and given is not None:
                yield {name: _merged(texts[name], merge, given).made()}


def _merges(tree: ast.Module) -> Iterator[_Merge]:
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and not is_kernel(n)]
    helpers = {each.name: each for each in functions}
    for caller in functions:
        own = loaded_names(ast.Module(caller.body, [])) & helpers.keys() - {caller.name}
        few = len(own) == 1 and _size(caller) - 1 <= SHORT_CALLER
        for node in (node for block in blocks(caller) for node in block):
            for call in walk(node) if isinstance(node, ast.Assign | ast.Return | ast.Expr) else ():
                match call:
                    case ast.Call(func=ast.Name(id=name)) if name in own and (
                        few or _size(helpers[name]) <= SHORT_HELPER
                    ):
                        if find_calls(tree, name) == [call]:
                            yield _Merge(caller, node, call, helpers[name])


def _size(function: ast.FunctionDef) -> int:
    return sum(isinstance(n, ast.stmt) and not is_docstring(n) for n in walk(function)) - 1


def _merged(text: str, merge: _Merge, given: Mapping[str, ast.expr]) -> Edits:
    helper, statement, edits = merge.helper, merge.statement, Edits(text)
    stored = frozenset().union(*map(stored_names, helper.body))
    renamed, lines = {}, []
    for name, value in given.items():
        literal = isinstance(value, ast.Constant | ast.UnaryOp) and name not in stored
        if literal or (isinstance(value, ast.Name) and not (name in stored and merge.reads(value))):
            renamed[name] = edits.of(value)
        else:
            lines.append(f"{name} = {standing(edits.of(value))}")
    for target, value in merge.results() if not merge.passes else ():
        match target, value:
            case ast.Name(id=new), ast.Name(id=old) if old in stored - given.keys() and (
                new not in {"_", *renamed.values()}
            ):
                renamed[old] = new
    inner = _renaming(text, helper, renamed)
    body = [each for each in helper.body if not is_docstring(each)]
    if merge.caller.body[0] is statement and len(body) < len(helper.body):
        lines.insert(0, edits.of(helper.body[0]))
    ends = merge.last is not None and not merge.passes
    if body[: len(body) - ends]:
        first, last = body_start(text, body[0]), edits.end(body[-1 - ends])
        margin = " " * helper.body[-1].col_offset
        moved = copied(text, inner, first, last).split("\n")
        lines += [line.removeprefix(margin) for line in moved]
    if ends:
        lines += _endings(text, merge, inner)
    margin = " " * statement.col_offset
    edits.put(
        statement, "\n".join(f"{margin}{each}" if each else "" for each in lines).strip() or "pass"
    )
    edits.replace(*whole_lines(edits, helper, text), "")
    place = edits.line_start(merge.caller)
    comment = edits.parted(body_start(text, helper), edits.line_start(helper))[1]
    edits.replace(place, place, comment)
    for decorator in helper.decorator_list:
        edits.replace(place, place, f"@{edits.of(decorator)}\n")
    return edits


def _renaming(text: str, helper: ast.FunctionDef, renamed: Mapping[str, str]) -> Edits:
    edits = Edits(text)
    for node in walk(ast.Module(helper.body, [])):
        if isinstance(node, ast.Name) and node.id in renamed:
            edits.put(node, renamed[node.id])
        elif isinstance(node, ast.JoinedStr):
            # Names inside an f-string have no source positions of their own.
            new = re.sub(r"(?<=\{)\w+", lambda word: renamed.get(word[0], word[0]), edits.of(node))
            edits.put(node, new)
    return edits


def _endings(text: str, merge: _Merge, inner: Edits) -> Sequence[str]:
    """Return the lines in which the caller uses the results of a helper."""

    def renamed(node: ast.expr) -> str:
        return copied(text, inner, inner.start(node), inner.end(node))

    if pairs := merge.results():
        texts = [(inner.of(target), renamed(value)) for target, value in pairs]
        kept = [(target, value) for target, value in texts if target not in ("_", value)]
        return [f"{target} = {standing(value)}" for target, value in kept]
    edits = Edits(text)
    if merge.last is not None:
        whole = isinstance(merge.last, WHOLE)
        edits.put(merge.call, renamed(merge.last) if whole else f"({renamed(merge.last)})")
    return [copied(text, edits, edits.start(merge.statement), edits.end(merge.statement))]


def standing(expression: str) -> str:
    """Return an expression, in parentheses if it can't be a statement without them."""
    with suppress(SyntaxError):
        ast.parse(expression)
        return expression
    return f"({expression})"
