"""Classification of a reference, and the check whether an expression is a reference."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Set

from curation.source.functions import dotted_name, stored_names
from ingest.drafting.cutting.slices import Cut, find_plain_names, find_side_inputs
from ingest.drafting.outcomes import Rule
from ingest.drafting.reading.naming import entry_names
from ingest.drafting.reading.sentences import describe_names, find_sentence, first_sentence
from ingest.drafting.reading.suites import SuiteFile
from ingest.extract.targets import External, Local, Target

REFERENCE = re.compile(r"(^|_)(naive|ref|reference|torch|pytorch|native|eager|golden|gold|baseline"
                       r"|expected|py|pt|slow|simple|vanilla|manual|base)(_|$)", re.I)  # fmt: skip
# Maximum written numbers in a reference. With more, it is the expected result of one case.
MOST_NUMBERS = 4


def find_rule(
    whole: Cut, suite: SuiteFile, local: frozenset[str], bound: Mapping[str, str]
) -> Rule:
    """Return the kind of a reference. `bound`: parameters that are functions, with their values."""
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


def describe(suite: SuiteFile, operation: Local, whole: Cut) -> tuple[str, tuple[str, ...]]:
    """Return a sentence about what both sides compute, or "", and names for their function.

    The candidates in order: the first sentence of the launcher's docstring, or of the only function
    that the reference calls, the vocabulary's sentence for one of the names, a later sentence.
    """
    sources = suite.source_of(operation)
    reference = _called((*whole.reference, *whole.expected), suite)
    called = _called((*whole.candidate, *whole.actual), suite)
    functions = [target for _, target in reference if isinstance(target, Local)]
    if len(functions) == 1:
        sources += suite.source_of(functions[0])
    for _, launcher in called:
        if isinstance(launcher, Local):
            sources += suite.source_of(launcher)
    launchers = list(dict.fromkeys(name for name, each in called if isinstance(each, Local)))
    of_torch = [name for name, target in reference if isinstance(target, External)]
    if functions or len(of_torch) != 1 or not _is_one_call((*whole.reference, *whole.expected)):
        of_torch = []
    names = entry_names(operation.name, launchers, *of_torch)
    sentences = (
        *map(first_sentence, sources),
        describe_names([*names[:1], operation.name, *launchers, *of_torch]),
        *map(find_sentence, sources),
    )
    return next(filter(None, sentences), ""), names


def _is_one_call(nodes: Iterable[ast.AST]) -> bool:
    """Return whether a reference only calls one function, without other operations or stores.

    `torch.zeros` does not describe a reference that then stores values into the zeros.
    """
    inner = [each for node in nodes for each in ast.walk(node)]
    stores = any(
        isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) for each in inner
    )
    return not stores and not any(isinstance(each, COMPUTING) for each in inner)


COMPUTING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.For, ast.While)


def _called(nodes: Iterable[ast.AST], suite: SuiteFile) -> list[tuple[str, Target]]:
    """Return the last part of the name of each called function, with its meaning."""
    called: list[tuple[str, Target]] = []
    for node in nodes:
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            parts = dotted_name(call.func)
            if parts is not None:
                called.append((parts[-1], suite.meaning(parts)))
    return called


def why_no_reference(whole: Cut, turning: frozenset[str], given: Set[str]) -> str:
    """Return why the other argument of a comparison is no reference, or "" if it is one.

    `given`: the names whose values are in the cases.
    """
    read = find_side_inputs(whole.reference, whole.expected)
    compared = find_side_inputs((), (*whole.expected, *whole.actual))
    loose = compared & (turning | set(whole.unset))
    loose -= frozenset().union(*map(stored_names, (*whole.reference, *whole.candidate)))
    if loose:
        return f"It compares in a loop, by its {', '.join(sorted(loose))}."
    if lost := read & turning & set(whole.unset):
        return f"It compares in a loop over {', '.join(sorted(lost))}, whose values are unknown."
    plain = find_plain_names(whole.inputs) | given | {"device"}
    if not (read & set(whole.parameters)) - plain:
        return "What it compares with is written out: it depends on no input."
    if any(_is_written_out(node) for node in (*whole.reference, *whole.expected)):
        return "What it compares with is written out: it holds numbers of one case."
    if not whole.reference and all(_is_part(each, whole.parameters) for each in whole.expected):
        return "What it compares with is an input: nothing is computed."
    return ""


def _is_part(answer: ast.expr, parameters: Iterable[str]) -> bool:
    """Return whether an expression is an input, or a slice of an input."""
    while isinstance(answer, ast.Subscript):
        answer = answer.value
    return isinstance(answer, ast.Name) and answer.id in parameters


def _is_written_out(node: ast.AST) -> bool:
    """Return whether a statement has a tensor of more than MOST_NUMBERS written numbers."""
    for call in ast.walk(node):
        match call:
            case ast.Call(func=func, args=[ast.List() as values, *_]) if (
                ast.unparse(func) == "torch.tensor"
            ):
                numbers = [each for each in ast.walk(values) if isinstance(each, ast.Constant)]
                if len(numbers) > MOST_NUMBERS:
                    return True
    return False
