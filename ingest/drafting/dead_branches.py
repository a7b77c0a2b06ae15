"""Removal of branches that no pair takes.

The inputs of a pair are plain tensors, so `isinstance(x, DTensor)` is false. The condition names
`torch.distributed.tensor`, which `import torch` does not load, so that evaluating it raises. Triton
is there, and torch is recent: a definition for the other case only raises. The GPU is NVIDIA's, and
no other process takes part. A pair is called without autocast.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Set

from curation.source.branches import take_branch
from curation.source.functions import is_docstring
from curation.source.text import Edits, parse, rewrite, walk

NAMED = re.compile(
    r"\bDTensor\b|\bif .*\b(has_triton|torch_version_at_least)\(|\btorch\.version\.hip\b"
    r"|[\"'](hip|xpu|npu|musa|mlu)[\"']|\bis_initialized\(\)|AsyncCollectiveTensor|^try:$"
    r"|\bautocast|\bcustom_(fwd|bwd)\b",
    re.M,
)
PRESENT = {"has_triton", "torch_version_at_least"}
OF_AMD = "torch.version.hip"
OTHERS = {"hip", "xpu", "npu", "musa", "mlu"}
"""Backends and devices of other vendors."""
ASKED = re.compile(r".*\.(device\.type|backend)|device_platform")
CLASS = re.compile(r"(torch\.distributed\.tensor\.)?_?DTensor|AsyncCollectiveTensor")
NEVER = {"dist.is_initialized", "torch.distributed.is_initialized", "torch.is_autocast_enabled",
         "torch.is_autocast_cpu_enabled"}  # fmt: skip
# Decorators of an autograd Function that only act under autocast.
OF_AUTOCAST = re.compile(r"((torch\.)?(cuda\.)?amp\.)?(autocast_)?custom_(fwd|bwd)(\(.*\))?")
RECENT = "triton.language.extra.libdevice"
"""A module that Triton has had since 3.0."""
ROUNDS = 8


def remove_dead_branches(text: str) -> str:
    """Return the module without the code that only distributed tensors or a machine without Triton
    would run.
    """
    if not NAMED.search(text):
        return text
    return rewrite(text, _without_branches, ROUNDS)


def _without_branches(text: str) -> str:
    """Return the text after one round."""
    tree = parse(text)
    edits = Edits(text)
    absent = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and _answers_no(node)
    }
    for node in walk(tree):
        block = [
            getattr(node, part) for part in ("body", "orelse", "finalbody")
            if isinstance(getattr(node, part, None), list)
        ]  # fmt: skip
        for statements in block:
            for statement in statements:
                _rewrite(statement, absent, edits, alone=len(statements) == 1)
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if OF_AUTOCAST.fullmatch(ast.unparse(decorator)):
                    edits.drop_decorator(decorator)
        if isinstance(node, ast.Call | ast.Compare) and _known(node, absent) is False:
            # Inside of any other expression.
            edits.put(node, "False")
    return edits.text()


def _answers_no(function: ast.FunctionDef) -> bool:
    """Return whether a function asks for another machine: `return backend == "hip"`."""
    body = [each for each in function.body if not is_docstring(each)]
    if function.args.args or len(body) != 1:
        return False
    match body[0]:
        case ast.Return(value=ast.expr() as value):
            return _known(value) is False
    return False


def _rewrite(statement: ast.stmt, absent: set[str], edits: Edits, *, alone: bool) -> None:
    if isinstance(statement, ast.Try) and _is_recent(statement):
        edits.put(statement, "\n".join(edits.of(each) for each in statement.body))
        return
    known = _known(statement.test, absent) if isinstance(statement, ast.If) else None
    if not isinstance(statement, ast.If) or known is None:
        return
    kept = statement.body if known else statement.orelse
    take_branch(statement, kept, edits, alone=alone)


def _is_recent(statement: ast.Try) -> bool:
    """Return whether a statement imports what a recent Triton has, or else something older."""
    return statement.col_offset == 0 and all(
        isinstance(each, ast.ImportFrom) and each.module == RECENT for each in statement.body
    )


def _known(test: ast.expr, absent: Set[str] = frozenset()) -> bool | None:
    """Return the value of a condition for plain tensors on NVIDIA's GPU, or None if it depends on
    more. `absent`: functions that return False.
    """
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            return False if CLASS.fullmatch(ast.unparse(kind)) else None
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if name in absent:
            return False
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in PRESENT:
            return True
        case ast.Call(func=func) if ast.unparse(func) in NEVER:
            return False
        case ast.Call(func=ast.Attribute(attr="constexpr"), args=[inner]):
            return _known(inner, absent)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            return isinstance(op, ast.Is) if ast.unparse(left) == OF_AMD else None
        case ast.Compare(
            left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant(value=other)]
        ) if other in OTHERS and ASKED.fullmatch(ast.unparse(left)):
            return isinstance(op, ast.NotEq)
        case ast.Attribute():
            return False if ast.unparse(test) == OF_AMD else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            known = _known(operand, absent)
            return None if known is None else not known
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [_known(value, absent) for value in values]
            if decides in each:
                return decides
            return None if None in each else not decides
    return None
