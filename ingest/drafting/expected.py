"""Dtypes of a draft's inputs and answers.

The reference of a test often computes in float32, and the test widens the answers to compare them.
A pair's two sides answer in the same dtypes, those of the launcher.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curation.source.functions import dotted_name
from ingest.drafting.answers import find_answer_types, find_optional_answers
from ingest.drafting.outcomes import DraftPlace
from ingest.drafting.parameter_values import DTYPES, DtypeName
from ingest.drafting.parametrized_cases import Cases
from ingest.drafting.slices import Cut
from ingest.drafting.suites import SuiteFile
from ingest.drafting.tolerances import Tolerance
from ingest.extract.targets import Local

WIDER = re.compile(
    r"\.(float|double)\(\)|\.to\(torch\.float(32|64)?\)|dtype=torch\.float(32|64)?\b"
)
INTEGERS = re.compile(r"\b(randint|randperm|arange|long|bool|u?int\d*)\b")
HALF = {"float16", "bfloat16"}
NARROWER = re.compile(r"\.to\((dtype|\w*dtype\w*|\w+\.dtype)|type_as|dtype=\w*\.?dtype")


@dataclass(frozen=True, slots=True)
class Test:
    """A test with its cases. `weights` are the inputs that two modules share; `widened` tells which
    answers the test converts to a wider dtype before it compares them.
    """

    suite: SuiteFile
    function: ast.FunctionDef
    place: DraftPlace
    cases: Cases
    weights: frozenset[str]
    widened: Sequence[bool]
    measured: Sequence[bool]
    """Which answers are compared by a difference, which accepts two dtypes."""
    strict: Sequence[bool]
    """Which answers are compared by a function that refuses two dtypes."""
    compared: Sequence[ast.expr] = ()
    """The names that the test compares, gradients excluded."""
    allowed: Sequence[Tolerance] = ()
    """The tolerance of the test's comparisons in each case."""
    operation: str = ""
    """The name of the operation in the repository."""
    docstring: str = ""
    """A sentence that says what both sides compute, or "" if the repository has none."""


def expected_answers(
    test: Test, whole: Cut, takes: Sequence[str], launcher: str, entry_point: str
) -> list[ast.expr]:
    """Return the reference's answers, converted to the launcher's dtypes if these are known.

    If they are unknown and the test widens the answers, they get the dtype of the inputs: most
    kernels answer with it.
    """
    of_floats = find_tensors(whole, of_integers=False)
    of_cases = _tensors_of_branches(whole)
    like = next((f"{name}.dtype" for name in takes if name in of_floats), "")
    like = like or next((f"{name}.dtype" for name in takes if name in of_cases), "")
    texts = [ast.unparse(node) for node in (*whole.reference, *whole.expected)]
    texts += _reference_functions(test, whole)
    widens = any(map(WIDER.search, texts))
    narrows = any(map(NARROWER.search, texts))
    types = find_answer_types(launcher, entry_point)
    optional = find_optional_answers(launcher, entry_point)
    if len(types) != len(whole.expected):
        types = [""] * len(whole.expected)
        optional = [False] * len(whole.expected)
    narrow = _has_half_precision(test, whole)
    answers: list[ast.expr] = []
    for place, (answer, known) in enumerate(zip(whole.expected, types, strict=True)):
        cast = answer
        loose = widens or test.widened[place] or (narrow and test.measured[place])
        if known and (known.startswith("torch.") or loose):
            cast = _cast(answer, known)
        elif test.strict[place]:
            pass
        elif not known and (test.widened[place] or (place == 0 and widens and not narrows)):
            cast = _cast(answer, like)
        if cast is not answer and optional[place] and isinstance(answer, ast.Name):
            cast = ast.parse(
                f"None if {answer.id} is None else {ast.unparse(cast)}", mode="eval"
            ).body
        answers.append(cast)
    return answers


def inputs_dtype(whole: Cut) -> str:
    """Return the floating dtype that the inputs name, for tests whose cases name none."""
    for statement in whole.inputs:
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
                    if "float" in DTYPES.get(attr, ""):
                        return DTYPES[attr]
    return "float32"


def find_tensors(whole: Cut, *, of_integers: bool = True) -> list[str]:
    """Return the inputs that are certainly tensors: `torch.randn(n)`, or half of that."""
    tensors: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=targets, value=value):
                while isinstance(value, ast.BinOp):
                    value = value.left
                text = ast.unparse(value)
                root = text.partition("(")[0] if isinstance(value, ast.Call) else ""
                if not root.startswith(("torch.", "F.")) or "Size" in root:
                    continue
                if of_integers or not INTEGERS.search(text):
                    tensors += [t.id for t in targets if isinstance(t, ast.Name)]
    return tensors


def _tensors_of_branches(whole: Cut) -> frozenset[str]:
    """Return the inputs that both branches of a condition make: floats in one, integers in the
    other.
    """
    for statement in whole.inputs:
        if isinstance(statement, ast.If) and statement.orelse:
            made = [
                {*find_tensors(replace(whole, inputs=tuple(branch)))}
                for branch in (statement.body, statement.orelse)
            ]
            if both := made[0] & made[1]:
                return frozenset(both)
    return frozenset()


def find_answers(whole: Cut) -> list[str]:
    """Return the inputs that are results of a function, which may be tensors."""
    results: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                results += [t.id for t in targets if isinstance(t, ast.Name)]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                results.append(name)
    return list(dict.fromkeys(results))


def _has_half_precision(test: Test, whole: Cut) -> bool:
    """Return whether some input has 16 bits, so that a reference in float32 answers with more."""
    values = [value for row in test.cases.rows for value in row.values()]
    if any(isinstance(value, DtypeName) and value.name in HALF for value in values):
        return True
    texts = map(ast.unparse, whole.inputs)
    return any(re.search(r"\b(float16|bfloat16|half)\b", text) for text in texts)


def _reference_functions(test: Test, whole: Cut) -> list[str]:
    """Return the sources of the functions that the reference calls by name."""
    sources: list[str] = []
    for node in (*whole.reference, *whole.expected):
        for inner in ast.walk(node):
            parts = dotted_name(inner.func) if isinstance(inner, ast.Call) else None
            if parts is None or parts[0] in test.cases.bound:
                continue
            target = test.suite.meaning(parts)
            if isinstance(target, Local):
                sources += test.suite.source_of(target)
    return sources


def _cast(answer: ast.expr, dtype: str) -> ast.expr:
    text = ast.unparse(answer)
    if not dtype or text.endswith((f".to({dtype})", f".view({dtype})")):
        return answer
    return ast.parse(f"({text}).to({dtype})", mode="eval").body
