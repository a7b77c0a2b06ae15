"""Kernels in Triton's interpreter that record what each of their lines computes, reads and writes.

The interpreter runs a kernel from its syntax tree. Recording calls and changes are added there.
"""

import ast
import builtins
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

from validation.harness.line_values.changes import Change
from validation.harness.worker.extents import Access, AccessCheck, patch_accesses
from validation.harness.worker.values import tensors_in

# Maximum number of recorded runs of a line: the first RUNS_MOST - 1, and the latest run.
RUNS_MOST = 8
# Number of leading elements in the description of a value.
FIRST = 6
# Types whose values the interpreter stores as integers with the same bits.
PATTERNS = {
    "bf16": torch.bfloat16, "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn,
}  # fmt: skip
Place = tuple[int, ...]
Address = tuple[int, Place]
"""Number of a launch in the call, and indices of a program in its grid."""


@dataclass(slots=True)
class WatchedLine:
    """Descriptions of a line's values, and counts of elements in its loads and stores: all elements
    (`lanes`) and those masked out (`masked`)."""

    count: int = 0
    runs: list[str] = field(default_factory=list)
    lanes: int = 0
    masked: int = 0


class Watched:
    """The patches of the interpreter, installed once in a process. Call `begin` before each call.

    functions: the functions of `triton_code` by name.
    """

    def __init__(self, functions: dict[str, ast.FunctionDef]) -> None:
        self._functions, self._bounds = functions, AccessCheck()
        self._change: Change | None = None
        self.begin()
        names: Any = builtins
        names._is_left_out, names._begin_line = self._is_left_out, self._begin_line
        names._note_value = self._note_value
        patched: Any = interpreter
        self._rewrite = patched.FunctionRewriter.rewrite_ast
        self._launch = patched.GridExecutor.__call__
        self._set_program = patched.interpreter_builder.set_grid_idx
        patched.FunctionRewriter.rewrite_ast = lambda rewriter: self._rewritten(rewriter)
        patched.GridExecutor.__call__ = lambda *args, **named: self._launched(*args, **named)
        patched.interpreter_builder.set_grid_idx = self._begin_program
        patch_accesses(self._watched)

    def begin(
        self, program: Place | None = None, only: Address | None = None,
        change: Change | None = None,
    ) -> None:  # fmt: skip
        """Prepare for a call of the launcher.

        program: record its values, in the first launch of each kernel. If an index is outside of
        the grid, the last index is used.
        only: skip the other programs of a launch, and all later launches.
        """
        if change != self._change:
            known: Any = interpreter.InterpretedFunction.rewritten_fn
            for function in [one for one in known if one.__module__ == "triton_code"]:
                del known[function]
        self._change, self._program, self._only = change, program, only
        self.at: Address = (-1, (0, 0, 0))
        self.line, self._kernel, self._notes = 0, "", False
        self.kernels: dict[str, dict[str, Any]] = {}
        self.lines: dict[int, WatchedLine] = {}
        self.stores: dict[Address, list[Any]] = {}
        """Memory addresses that each program wrote to."""

    def _rewritten(self, rewriter: Any) -> Any:
        """Return the rewritten function that the interpreter runs for a kernel or helper."""
        name = rewriter.fn.__name__
        if rewriter.fn.__module__ != "triton_code" or name not in self._functions:
            return self._rewrite(rewriter)
        before, after = self._change or (None, None)
        node = deepcopy(self._functions[name], {id(before): deepcopy(after)})
        node.decorator_list = []
        tree = rewriter.ast_transformer.visit(ast.Module([node], []))
        tree = tree if self._change else _Noting().visit(tree)
        node.body[:0] = ast.parse("if _is_left_out():\n    return").body
        rewriter.filename = rewriter.fn.__code__.co_filename
        return rewriter._compile_and_exec(ast.fix_missing_locations(tree))

    def _launched(self, executor: Any, *args: Any, **named: Any) -> Any:
        self.at, self._kernel = (self.at[0] + 1, (0, 0, 0)), executor.fn.__name__
        if self._only is not None and self.at[0] > self._only[0]:
            return
        storages = [tensor.untyped_storage() for tensor in tensors_in((args, named))]
        extents = [(one.data_ptr(), one.data_ptr() + one.nbytes()) for one in storages]
        with self._bounds.enforced(extents):
            self._launch(executor, *args, **named)
        self._notes = False

    def _begin_program(self, *place: int) -> None:
        self._set_program(*place)
        self.at, self._notes = (self.at[0], place), False
        if self._program is not None and self._kernel not in self.kernels:
            grid = interpreter.interpreter_builder.grid_dim
            last = tuple(size - 1 for size in grid)
            self._notes = place == tuple(map(min, self._program, last))
            if self._notes:
                self.kernels[self._kernel] = {"grid": list(grid), "program": list(place)}

    def _is_left_out(self) -> bool:
        return self._only is not None and self.at[0] == self._only[0] and self.at != self._only

    def _begin_line(self, line: int) -> None:
        self.line = line

    def _note_value(self, line: int, name: str, value: Any) -> Any:
        if self._notes and (words := summary(value)):
            noted = self.lines.setdefault(line, WatchedLine())
            noted.count += 1
            del noted.runs[RUNS_MOST - 1 :]
            noted.runs.append(f"{name}: {words}")
        return value

    def _watched(self, access: Access, original: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            addresses = arguments[access.addresses]
            mask = np.ones_like(addresses, bool)
            if access.mask is not None:
                mask = arguments[access.mask]
            if self._notes:
                noted = self.lines.setdefault(self.line, WatchedLine())
                noted.lanes += mask.size
                noted.masked += mask.size - int(np.count_nonzero(mask))
            if access.name != "load":
                self.stores.setdefault(self.at, []).append(addresses[mask])
            return original(*arguments)

        return watched


class _Noting(ast.NodeTransformer):
    """AST transformer that adds recording calls for each statement and each assigned value."""

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
            return node
        begun, targets = _called("_begin_line", str(node.lineno)), list[ast.expr]()
        match node:
            case ast.For(target=target):
                node.body.insert(0, _noted(node, target))
            case ast.Return(value=ast.expr() as value):
                node.value = _noted(node, value, "returned").value
            case ast.Assign():
                targets = node.targets
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                targets = [target]
        return [begun, node, *(_noted(node, target) for target in targets)]


def _noted(node: ast.stmt, value: ast.expr, name: str = "") -> Any:
    text = ast.unparse(value)
    return _called("_note_value", f"{node.lineno}, {name or text!r}, {text}")


def _called(name: str, arguments: str) -> Any:
    return ast.parse(f"{name}({arguments})").body[0]


def summary(value: Any) -> str:
    """Return a description of a tensor or number, or an empty text for any other value."""
    if isinstance(value, tuple | list | tl.tuple):
        return "; ".join(filter(None, map(summary, value)))
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, bool | int | float):
        return f"{type(value).__name__} {_number(value)}"
    data = getattr(getattr(value, "handle", None), "data", None)
    if not isinstance(value, tl.tensor) or not isinstance(data, np.ndarray):
        return ""
    dtype, shape = value.dtype.scalar, [int(size) for size in value.shape]
    words = f"{dtype}{shape or ''}"
    if dtype.is_ptr():
        # Show no values of pointers, because addresses differ from run to run.
        return words
    if str(dtype) in PATTERNS:
        bits = torch.from_numpy(np.ascontiguousarray(data))
        data = bits.view(PATTERNS[str(dtype)]).double().numpy()
    flat = data.reshape(-1)
    finite = flat[np.isfinite(flat)]
    if flat.size > 1 and finite.size:
        words += f" from {_number(finite.min())} to {_number(finite.max())}:"
    more = [] if flat.size <= FIRST else ["…"]
    words += f" {', '.join([*map(_number, flat[:FIRST].tolist()), *more])}"
    not_finite = flat.size - finite.size
    return f"{words}, {not_finite} not finite" if not_finite else words


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
