"""Small repositories of our own with the shapes that real ones have."""

from __future__ import annotations

import ast
import textwrap

from ingest.drafting import DraftOutcome, OperationDraft, draft
from ingest.extract import MemoryTree
from ingest.simplified_drafts import simplified
from tests.ingest.simplifiers import unchanged

DOUBLING = """
import torch
import triton
import triton.language as tl


@triton.jit
def doubling_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def doubled(x, scale=1):
    out = torch.empty_like(x)
    doubling_kernel[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
    return out


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return doubled(x)

    @staticmethod
    def backward(ctx, gradient):
        return doubled(gradient)
"""
HEAD = """
import pytest
import torch

from ops.doubling import Doubling, doubled

device = "cuda"
"""


def drafted(test: str, **files: str) -> list[DraftOutcome]:
    """What is drafted from the doubling kernel and the body of its test file."""
    tree = {
        "ops/__init__.py": "",
        "ops/doubling.py": DOUBLING,
        "tests/test_doubling.py": HEAD + textwrap.dedent(test),
        **{path.replace("__", "/") + ".py": text for path, text in files.items()},
    }
    return outcomes_of(tree)


def outcomes_of(files: dict[str, str]) -> list[DraftOutcome]:
    """Draft the repository of these files, without a run of its drafts."""
    sources = MemoryTree({path: text.encode() for path, text in files.items()})
    return simplified(draft(sources), unchanged)


def only(test: str, **files: str) -> DraftOutcome:
    (outcome,) = drafted(test, **files)
    return outcome


def whole(test: str, **files: str) -> OperationDraft:
    outcome = only(test, **files)
    assert outcome.missing is None, outcome.sentence
    assert outcome.draft is not None
    return outcome.draft


def function(code: str, name: str) -> str:
    """The text of one function of a module."""
    (found,) = [
        node
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return ast.unparse(found)


def cases(code: str) -> list[dict[str, object]]:
    """What CASES of a test holds."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CASES":
            found: list[dict[str, object]] = ast.literal_eval(node.value)
            return found
    raise AssertionError("There is no CASES.")
