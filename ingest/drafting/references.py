"""Judgment of a reference: what it is, and whether it is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from ingest.drafting.naming import dotted_name, first_sentence
from ingest.drafting.records import Rule
from ingest.drafting.slices import Cut, find_plain_names, find_side_inputs
from ingest.drafting.statements import stored_names
from ingest.drafting.suites import Suite
from ingest.extract.targets import External, Local

REFERENCE = re.compile(r"(^|_)(naive|ref|reference|torch|pytorch|native|eager|golden|gold|baseline"
                       r"|expected|py|pt|slow|simple|vanilla|manual|base)(_|$)", re.I)  # fmt: skip
# A reference with more written numbers is the answer to one case.
MOST_NUMBERS = 4


def find_rule(whole: Cut, suite: Suite, local: frozenset[str], bound: Mapping[str, str]) -> Rule:
    """Return the kind of a reference. `bound`: the parameters that hold functions, with them."""
    named: list[str] = []
    other: list[str] = []
    torch_calls, classes = 0, False
    for node in (*whole.reference, *whole.expected):
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Call):
                continue
            parts = dotted_name(inner.func)
            if parts is None or (parts[0] in local and not bound.get(parts[0])):
                continue
            meant = bound.get(parts[0]) or ".".join(parts)
            target = suite.meaning(tuple(meant.split(".")))
            if isinstance(target, External):
                torch_calls += target.module.startswith("torch")
                classes |= bool(re.match(r"(torch\.)?nn\.[A-Z]", meant))
            elif isinstance(target, Local):
                last = meant.rpartition(".")[2]
                classes |= last[:1].isupper()
                (named if REFERENCE.search(last) else other).append(last)
    if classes:
        return Rule.MODULE
    if named:
        return Rule.NAMED_FUNCTION
    if other:
        return Rule.OTHER_FUNCTION
    return Rule.TORCH_OPERATION if torch_calls == 1 else Rule.EXPRESSION


def find_docstring(suite: Suite, operation: Local, whole: Cut) -> str:
    """Return the first sentence of the launcher's docstring, or else that of the one function that
    the reference calls, or "".
    """
    sources = suite.source_of(operation)
    called: list[Local] = []
    for node in (*whole.reference, *whole.expected):
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            parts = dotted_name(call.func)
            target = suite.meaning(parts) if parts else None
            if isinstance(target, Local):
                called.append(target)
    if len(called) == 1:
        sources += suite.source_of(called[0])
    return next(filter(None, map(first_sentence, sources)), "")


def why_no_reference(whole: Cut, turning: frozenset[str]) -> str:
    """Return why the other argument of a comparison is no reference, or "" if it is one."""
    read = find_side_inputs(whole.reference, whole.expected)
    compared = find_side_inputs((), (*whole.expected, *whole.actual))
    loose = compared & (turning | set(whole.unset))
    loose -= frozenset().union(*map(stored_names, (*whole.reference, *whole.candidate)))
    if loose:
        return f"It compares in a loop, by its {', '.join(sorted(loose))}."
    if lost := read & turning & set(whole.unset):
        return f"It compares in a loop over {', '.join(sorted(lost))}, whose values are unknown."
    if not (read & set(whole.parameters)) - find_plain_names(whole.inputs):
        return "What it compares with is written out: it depends on no input."
    if any(_is_written_out(node) for node in (*whole.reference, *whole.expected)):
        return "What it compares with is written out: it holds numbers of one case."
    if not whole.reference and all(
        isinstance(answer, ast.Name) and answer.id in whole.parameters for answer in whole.expected
    ):
        return "What it compares with is an input: nothing is computed."
    return ""


def _is_written_out(node: ast.AST) -> bool:
    """Return whether a tensor of several written numbers stands in a statement."""
    for call in ast.walk(node):
        match call:
            case ast.Call(func=func, args=[ast.List() as values, *_]) if (
                ast.unparse(func) == "torch.tensor"
            ):
                numbers = [each for each in ast.walk(values) if isinstance(each, ast.Constant)]
                if len(numbers) > MOST_NUMBERS:
                    return True
    return False
