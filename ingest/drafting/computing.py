"""Detection of computations that host code leaves to torch, by syntax.

A launcher allocates and moves data; a final `.sum(0)` of partial sums is a computation outside of
its kernels. Detected are calls that can be nothing else, products of matrices by `@`, and
arithmetic on names that the function treats as tensors. A launcher may leave a minor part to torch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from curation.source.text import walk
from ingest.drafting.host import Function, HostCode, walk_body

METHODS = {
    "sum", "mean", "matmul", "mm", "bmm", "addmm", "addmm_", "baddbmm", "exp", "log", "log2",
    "softmax", "log_softmax", "logsumexp", "cumsum", "argsort", "argmax", "topk", "sigmoid", "tanh",
    "relu", "mul", "mul_", "add_", "sub_", "div", "div_", "sqrt", "rsqrt", "pow", "square", "amax",
    "amin", "norm", "var", "std", "prod", "masked_fill", "masked_fill_", "index_add_",
    "scatter_add_", "gather", "index_select", "tril", "triu", "einsum",
}  # fmt: skip
TORCH = METHODS | {
    "abs", "add", "sub", "addbmm", "dot", "outer", "where", "sort", "max", "min", "maximum",
    "minimum", "clamp", "ger", "histc", "bincount", "linalg.solve_triangular",
}  # fmt: skip
MINOR = {
    "sum", "mean", "prod", "amax", "amin", "max", "min", "maximum", "minimum", "abs", "where",
    "clamp", "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "exp", "log", "log2",
    "sqrt", "rsqrt", "pow", "square", "masked_fill", "masked_fill_", "index_select", "gather",
    "tril", "triu", "bincount", "one_hot", "normalize",
}  # fmt: skip
"""Torch operations that a launcher may use beside its kernels: sums of partial results, masks and
element-wise steps.
"""

SOLVERS = ("torch.linalg.", "torch.cholesky", "torch.inverse", "torch.triangular_solve")
FUNCTIONAL = {
    "linear", "softmax", "log_softmax", "normalize", "conv1d", "conv2d", "layer_norm", "rms_norm",
    "silu", "gelu", "relu", "cross_entropy", "softplus", "logsigmoid", "one_hot", "embedding",
    "scaled_dot_product_attention",
}  # fmt: skip
LAYERS = {"nn.Linear", "nn.Conv1d", "nn.Conv2d", "nn.LayerNorm", "nn.Embedding", "nn.RMSNorm"}
# Attributes that only tensors have, among the values that a launcher handles.
OF_TENSORS = {"shape", "stride", "dtype", "device", "contiguous", "is_contiguous", "view",
              "reshape", "data_ptr", "numel", "dim", "ndim", "requires_grad"}  # fmt: skip
ALLOCATES = {"empty", "zeros", "ones", "full", "arange", "tensor", "empty_like", "zeros_like",
             "ones_like", "full_like", "linspace"}  # fmt: skip
NO_TENSORS = {"math", "np", "numpy", "tl", "triton", "operator", "os", "self", "random"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def computes_backward(module: str) -> str:
    """Return the first computation with torch that a `backward` leads to, under any condition, or
    "".
    """
    host = _Computing(module)
    for owner in host.functions_of_autograd():
        backward = host.methods[owner].get("backward")
        if backward is not None and (computation := host.first([(backward, owner)], certain=False)):
            return computation
    return ""


def computes_forward(module: str, entry_point: str) -> str:
    """Return the first major computation with torch that every call of the entry point runs, or "".
    A computation under a condition does not count, except for linear algebra.
    """
    host = _Computing(module)
    start = host.functions.get(entry_point)
    if start is None:
        return ""
    return host.first([(start, "")], certain=True, minor=False) or host.solver([(start, "")])


def computes_a_part(module: str, entry_point: str) -> str:
    """Return the first computation with torch, however small, that every call of the entry point
    runs, or "".
    """
    host = _Computing(module)
    start = host.functions.get(entry_point)
    return host.first([(start, "")], certain=True) if start is not None else ""


def remove_backward(module: str) -> str:
    """Remove every `backward` of the module's autograd Functions."""
    host = _Computing(module)
    lines = module.splitlines()
    found = [host.methods[owner].get("backward") for owner in host.functions_of_autograd()]
    for method in sorted((m for m in found if m), key=lambda one: -one.lineno):
        first = min([method.lineno, *(d.lineno for d in method.decorator_list)])
        del lines[first - 1 : method.end_lineno]
    return "\n".join(lines) + "\n"


class _Computing(HostCode):
    """Walk of a module's host code in search of computations with torch."""

    def first(
        self, starts: Sequence[tuple[Function, str]], *, certain: bool, minor: bool = True
    ) -> str:
        """Return the first computation, or "". `certain`: computations under a condition do not
        count. `minor`: sums of partial results and element-wise operations count.
        """
        for function, owner in self._walk_calls(starts, certain=certain):
            tensors = _tensors(function)
            layers = _layers(self.methods.get(owner, {}).get("__init__"))
            for node in _certain(function.body) if certain else walk_body(function.body):
                if computation := _computes(node, tensors, minor) or _asks(node, layers):
                    return _placed(computation, owner, function)
        return ""

    def _walk_calls(
        self, starts: Sequence[tuple[Function, str]], *, certain: bool
    ) -> Iterator[tuple[Function, str]]:
        """Yield these functions and the functions that they lead to, each with its class."""
        pending, seen = list(starts), set[int]()
        while pending:
            function, owner = pending.pop(0)
            if id(function) in seen:
                continue
            seen.add(id(function))
            yield function, owner
            nodes = list(_certain(function.body) if certain else walk_body(function.body))
            pending += self._called(nodes, owner, function)

    def solver(self, starts: Sequence[tuple[Function, str]]) -> str:
        """Return the first use of linear algebra under any condition, or "". Launchers often use a
        product of matrices for small inputs only; no launcher solves a system for some inputs only.
        """
        for function, owner in self._walk_calls(starts, certain=False):
            for node in walk_body(function.body):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(SOLVERS):
                    return _placed(_short(node), owner, function)
        return ""

    def _called(
        self, nodes: Iterable[ast.AST], owner: str, function: Function
    ) -> Iterator[tuple[Function, str]]:
        modules = self._constructed(function)
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            target, method = "", ""
            match node.func:
                case ast.Name(id=name) if name in self.functions:
                    yield self.functions[name], ""
                case ast.Name(id=name) if name in self.applied:
                    target, method = self.applied[name], "forward"
                case ast.Name(id=name) if name in modules:
                    target, method = modules[name], "forward"
                case ast.Call(func=ast.Name(id=name)) if name in self.methods:
                    # `Loss(reduction)(x)`
                    target, method = name, "forward"
                case ast.Attribute(value=ast.Name(id=name), attr="apply"):
                    target, method = name, "forward"
                case ast.Attribute(value=ast.Name(id="self"), attr=name):
                    target, method = owner, name
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.methods:
                    target, method = name, attr
                case ast.Attribute(attr="functional_call") if node.args:
                    given = node.args[0]
                    name = given.id if isinstance(given, ast.Name) else ""
                    target, method = modules.get(name, ""), "forward"
            found = self.methods.get(target, {}).get(method)
            if found is not None:
                yield found, target

    def _constructed(self, function: Function) -> dict[str, str]:
        """Return the local names that hold instances of the module's classes, with their class."""
        classes: dict[str, str] = {}
        for node in walk_body(function.body):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                    inner = _innermost(call)
                    if isinstance(inner.func, ast.Name) and inner.func.id in self.methods:
                        classes[name] = inner.func.id
        return classes


def _innermost(call: ast.Call) -> ast.Call:
    """Return `C(…)` of `C(…).to(dtype)`."""
    while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
    return call


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes that run whenever the statements do. Excluded are branches, statements after
    a conditional return, and definitions. Loops are assumed to run.
    """
    for statement in body:
        if isinstance(statement, ast.With):
            for item in statement.items:
                yield from walk(item.context_expr)
            yield from _certain(statement.body)
        elif isinstance(statement, ast.If):
            if any(isinstance(node, ast.Return) for node in walk(statement)):
                return
        elif isinstance(statement, ast.For):
            yield from _certain(statement.body)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
                        | ast.Return):  # fmt: skip
            yield from _unconditional(statement)


def _unconditional(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.IfExp) and _loads(node.body) <= _loads(node.orelse):
        # Both ways call the same function: `f(x) if plain else torch.compile(f)(x)`.
        yield from _unconditional(node.body)
    if isinstance(node, ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.GeneratorExp):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _unconditional(child)


def _loads(node: ast.AST) -> set[str]:
    return {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}


def _tensors(function: Function) -> set[str]:
    """Return the names that the function asks for attributes that only tensors have and never binds
    to anything else, and the gradients that a `backward` receives.
    """
    tensors: set[str] = set()
    if function.name == "backward":
        tensors |= {argument.arg for argument in function.args.args[1:]}
    other: set[str] = set()
    for node in walk_body(function.body):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in OF_TENSORS:
                tensors.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(
                value, ast.Call | ast.BinOp
            ):
                other.add(name)
            case ast.For(target=ast.Name(id=name)):
                other.add(name)
    return tensors - other - NO_TENSORS


def _layers(init: Function | None) -> set[str]:
    """Return the attributes that hold layers of torch."""
    layers: set[str] = set()
    for node in walk_body(init.body) if init else ():
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Call(func=called),
            ) if ast.unparse(called).removeprefix("torch.") in LAYERS:
                layers.add(name)
    return layers


def _asks(node: ast.AST, layers: set[str]) -> str:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if name in layers:
            return _short(node)
    return ""


def _computes(node: ast.AST, tensors: set[str], minor: bool) -> str:
    match node:
        case ast.BinOp(op=ast.MatMult()):
            return _short(node)
        case ast.BinOp(left=left, op=op, right=right) if minor and isinstance(op, ARITHMETIC):
            operands = [part for part in (left, right) if isinstance(part, ast.Name)]
            if any(part.id in tensors for part in operands):
                return _short(node)
        case ast.Call(func=ast.Name(id=name)) if "scaled_dot_product_attention" in name:
            return _short(node)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            counts = minor or attr not in MINOR
            if counts and _computing_call(value, attr) and not _holds_no_data(node):
                return _short(node)
    return ""


def _computing_call(value: ast.expr, attr: str) -> bool:
    owner = ast.unparse(value)
    if owner in {"F", "torch.nn.functional", "nn.functional"}:
        return attr in FUNCTIONAL
    if re.fullmatch(r"torch(\.\w+)*", owner):
        return f"{owner}.{attr}".removeprefix("torch.") in TORCH
    if owner.partition(".")[0] in NO_TENSORS or isinstance(value, ast.Constant | ast.List):
        return owner.startswith("self.") and attr in METHODS
    return attr in METHODS


def _holds_no_data(call: ast.Call) -> bool:
    """Return whether a call only computes on fresh allocations or on ranges, which are no data."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ALLOCATES
        for node in walk(call)
    )


def _placed(computation: str, owner: str, function: Function) -> str:
    return f"`{computation}` in {f'{owner}.' if owner else ''}{function.name}"


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}…"
