"""A test from which a draft is cut, and the kinds of its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from curation.source.functions import stored_names
from ingest.drafting.cutting.slices import Cut
from ingest.drafting.outcomes import DraftPlace
from ingest.drafting.reading.parameter_values import DTYPES
from ingest.drafting.reading.parametrized_cases import Cases
from ingest.drafting.reading.suites import SuiteFile
from ingest.drafting.reading.tolerances import Tolerance

INTEGERS = re.compile(r"\b(randint|randperm|arange|long|bool|u?int\d*)\b")


@dataclass(frozen=True, slots=True)
class Test:
    """A test with its cases. `weights` are inputs: the weights that two modules share."""

    suite: SuiteFile
    function: ast.FunctionDef
    place: DraftPlace
    cases: Cases
    weights: frozenset[str]
    compared: Sequence[ast.expr] = ()
    """The expressions that the test compares, except gradients."""
    allowed: Sequence[Tolerance] = ()
    """The tolerance of the test's comparisons in each case."""
    docstring: str = ""
    """A sentence about what both the reference and the candidate compute, or ""."""
    names: tuple[str, ...] = ()
    """Candidate names for the function of both sides, the best first."""


def inputs_dtype(whole: Cut) -> str:
    """Return the floating-point dtype that the inputs state, for tests whose cases state none."""
    for statement in whole.inputs:
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
                    if "float" in DTYPES.get(attr, ""):
                        return DTYPES[attr]
    return "float32"


def find_tensors(whole: Cut) -> list[str]:
    """Return the inputs that are certainly tensors, such as `torch.randn(n)` or half of that."""
    tensors: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=targets, value=value):
                while isinstance(value, ast.BinOp):
                    value = value.left
                root = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
                if root.startswith(("torch.", "F.")) and "Size" not in root:
                    tensors += [t.id for t in targets if isinstance(t, ast.Name)]
    return tensors


def find_floats(whole: Cut) -> set[str]:
    """Return the inputs that are certainly floating-point tensors."""
    integers = {
        name
        for statement in whole.inputs
        if INTEGERS.search(ast.unparse(statement))
        for name in stored_names(statement)
    }
    return set(find_tensors(whole)) - integers
