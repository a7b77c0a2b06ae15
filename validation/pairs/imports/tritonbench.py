"""Records in TritonBench's format: a file with a PyTorch function and, below a line of `#`, a test
that calls it and stores the results. Another column has the same function in Triton.

These tests compare no results. Each call becomes a case, and the statements above the call create
the inputs of the case.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from curation.kinds.difficulty import pair_difficulty
from curation.models import OperationType
from curation.pairs.draft import PairDraft, Source
from validation.pairs.imports.record import Record, RefusedRecord, of_choice, parsed, text

SEPARATOR = re.compile(r"^#{20,}\s*$", re.MULTILINE)
TEST = '''from python_code import {name} as reference
from triton_code import {name} as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {{"float32": (1e-4, 1e-5)}}

CASES = [{{"call": number, "dtype": "float32", "seed": number}} for number in range({count})]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {{"call"}}


def make_inputs(case, device):
    """The arguments of one call: the same case gives the same values."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case["seed"])
        return CALLS[case["call"]](device)


{calls}

CALLS = [{names}]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
'''


def fits(record: Record) -> bool:
    return "file" in record and "reference" in record


def draft(record: Record) -> PairDraft:
    name = text(record, "file").removesuffix(".py")
    if not name.isidentifier():
        raise RefusedRecord(f"file is {record['file']!r}: it must be named after a function.")
    halves = SEPARATOR.split(text(record, "reference"))
    if len(halves) != 2:
        raise RefusedRecord(
            "reference does not hold a function and a test, a line of # between them."
        )
    triton = text(record, "triton_code")
    parsed(halves[0], "The function in reference")
    parsed(triton, "triton_code")
    calls = list(_calls(parsed(halves[1], "The test in reference"), name))
    if not calls:
        raise RefusedRecord(f"The test in reference keeps the result of no call of {name}.")
    functions = [_function(number, above, call) for number, (above, call) in enumerate(calls)]
    operation = of_choice(record, "operation_type", OperationType.values, "other")
    return PairDraft(
        entry_point=name,
        python_code=halves[0].strip("\n") + "\n",
        triton_code=triton,
        test_code=TEST.format(
            name=name,
            count=len(calls),
            calls="\n\n".join(functions),
            names=", ".join(f"call_{number}" for number in range(len(calls))),
        ),
        origin="real-world",
        operation_type=operation,
        difficulty=pair_difficulty(triton, operation),
        source=Source(repository=str(record.get("repo", ""))),
        tags=("tritonbench",),
    )


def _calls(test: ast.Module, name: str) -> Iterator[tuple[list[ast.stmt], ast.Call]]:
    """Yield each call whose result is stored, with all assignments before the call."""
    assignments: list[ast.stmt] = []
    body = next((node.body for node in test.body if isinstance(node, ast.FunctionDef)), [])
    for statement in body:
        if not isinstance(statement, ast.Assign):
            continue
        value, target = statement.value, statement.targets[0]
        if isinstance(value, ast.Call) and ast.unparse(value.func) == name:
            yield list(assignments), value
        elif not isinstance(target, ast.Subscript) and ast.unparse(target) != "results":
            assignments.append(statement)


def _function(number: int, assignments: list[ast.stmt], call: ast.Call) -> str:
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        raise RefusedRecord(
            f"Call {number + 1} of the test names its arguments: they can't be passed on."
        )
    lines = [ast.unparse(_OnDevice().visit(statement)) for statement in _needed(assignments, call)]
    arguments = ", ".join(ast.unparse(_OnDevice().visit(argument)) for argument in call.args)
    ending = f"({arguments},)" if arguments else "()"
    body = "\n".join(
        f"    {line}" for text in (*lines, f"return {ending}") for line in text.split("\n")
    )
    return f"def call_{number}(device):\n{body}\n"


def _needed(assignments: list[ast.stmt], call: ast.Call) -> list[ast.stmt]:
    """Return the assignments on which the call depends, in file order."""
    names = _names(call)
    statements: list[ast.stmt] = []
    for statement in reversed(assignments):
        assigned = {node.id for node in ast.walk(statement)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
        if assigned & names:
            statements.insert(0, statement)
            names |= _names(statement)
    return statements


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}  # fmt: skip


class _OnDevice(ast.NodeTransformer):
    """AST transformer that replaces `"cuda"` by the requested device."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Name("device", ast.Load()) if node.value == "cuda" else node
