"""Removal of copies of inputs that a side makes although nothing writes to them.

A test copies its inputs because it computes both sides and gradients from them. A pair makes its
inputs anew for each side. The text tells which parameters its functions and kernels write to. A
parameter of a call that is not understood counts as written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping

from ingest.drafting.edits import UNREADABLE, Edits
from ingest.drafting.in_place import (
    VIEWS,
    arguments_of,
    in_order,
    paired,
    parameters_of,
    written_by_kernel,
)
from ingest.drafting.weights import innermost_call

Function = ast.FunctionDef
Roots = Mapping[str, set[str]]

# Methods whose results share no memory with their tensor.
FRESH = {
    "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "size", "stride", "numel",
    "dim", "item", "tolist", "element_size", "is_contiguous", "sum", "mean", "max", "min", "amax",
    "amin",
    "cumsum", "exp", "log", "abs", "pow", "square", "sqrt", "rsqrt", "sigmoid", "softmax", "tril",
    "triu", "masked_fill", "repeat", "repeat_interleave", "argmax", "argmin", "get", "format",
}  # fmt: skip
# Functions that hand their arguments on, alone or in a container.
HANDING_ON = {"map", "list", "tuple", "zip", "reversed", "iter", "next", "dict", "sorted"}
PLAIN = {"len", "int", "float", "bool", "str", "max", "min", "abs", "sum", "range", "isinstance",
         "getattr", "hasattr", "type", "all", "any", "ValueError", "RuntimeError"}  # fmt: skip
OURS = ("torch.", "F.", "nn.", "math.", "triton.", "tl.", "np.", "os.", "functools.")
# Functions of torch that may return a view.
VIEWING = VIEWS | {"chunk", "split", "unbind", "as_tensor", "broadcast_tensors", "movedim",
                   "broadcast_to", "as_strided", "select", "swapaxes", "unflatten"}  # fmt: skip
DEEPEST = 12


def drop_copies(text: str, entry: str) -> str:
    """Return the module whose function `entry` hands its inputs on without copies, where nothing
    writes to them.
    """
    if ".clone()" not in text or "def backward(" in text:
        return text
    try:
        tree = ast.parse(text)
        writes = _Writes(tree)
        function = writes.functions.get(entry)
        if function is None:
            return text
        written = writes.of(function)
        if written is None:
            return text
        edits = Edits(text)
        kept = _returned(function)
        free = set(parameters_of(function)) - written
        for node in ast.walk(function):
            match node:
                case ast.IfExp() if (name := _given_or_none(node)) in free:
                    edits.put(node, name)
                    kept += ast.walk(node)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name) as tensor, attr="clone"),
                    args=[],
                    keywords=[],
                ) if name in free and node not in kept:
                    edits.put(node, tensor.id)
        return _without_aliases(edits.text(), entry)
    except UNREADABLE:
        return text


def _given_or_none(node: ast.IfExp) -> str:
    """Return `x` of `x.clone() if x is not None else None`, or ""."""
    match node:
        case (
            ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.IsNot()],
                    comparators=[ast.Constant(value=None)],
                ),
                body=kept,
                orelse=ast.Constant(value=None),
            )
            | ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
                ),
                body=ast.Constant(value=None),
                orelse=kept,
            )
        ) if ast.unparse(kept) == f"{name}.clone()":
            return name
    return ""


def _returned(function: Function) -> list[ast.AST]:
    """Return the nodes of returned values that no call computes from."""
    nodes: list[ast.AST] = []
    for statement in ast.walk(function):
        if isinstance(statement, ast.Return) and statement.value is not None:
            pending: list[ast.AST] = [statement.value]
            while pending:
                node = pending.pop()
                nodes.append(node)
                if isinstance(node, ast.Tuple | ast.List | ast.IfExp | ast.Attribute):
                    pending.extend(ast.iter_child_nodes(node))
    return nodes


class _Writes:
    """The parameters that the functions of a text write to."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {n.name: n for n in tree.body if isinstance(n, Function)}
        self._classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self._forwards = dict(self._modules(tree))
        self._known: dict[str, set[str] | None] = {}
        self._results: dict[str, set[str]] = {}

    def _modules(self, tree: ast.Module) -> Iterator[tuple[str, Function]]:
        """Yield the names that hold a module of a class of the text, with its forward pass."""
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        stores = [node.id for node in names if not isinstance(node.ctx, ast.Load)]
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value) if (
                    stores.count(name) == 1
                ):
                    made = innermost_call(value)
                    owner = self._classes.get(ast.unparse(made).partition("(")[0])
                    for method in owner.body if owner is not None else ():
                        if isinstance(method, Function) and method.name == "forward":
                            plain = ast.FunctionDef(**vars(method))
                            plain.args = copy.copy(method.args)
                            plain.args.args = method.args.args[1:]
                            plain.name = f"{name}.forward"
                            yield name, plain

    def of(self, function: Function, depth: int = 0) -> set[str] | None:
        """Return the parameters that a function writes to, or None if they are unknown."""
        if function.name not in self._known:
            self._known[function.name] = None
            if depth < DEEPEST:
                kernel = any("jit" in ast.unparse(each) for each in function.decorator_list)
                read = self._of_kernel if kernel else self._of_host
                self._known[function.name] = read(function, depth)
        return self._known[function.name]

    def _of_host(self, function: Function, depth: int) -> set[str] | None:
        parameters = set(parameters_of(function))
        if function.args.vararg:
            return None
        roots: dict[str, set[str]] = {name: {name} for name in parameters}
        written: set[str] = set()
        shared: set[str] = set()
        # Twice: a loop may bind a name to what it binds later in its body.
        for node in [*in_order(function.body)] * 2:
            match node:
                case ast.Assign(targets=targets, value=value):
                    pairs = [(t, self._aliased(part, roots)) for t, part in paired(targets, value)]
                    for target, aliased in pairs:
                        if isinstance(target, ast.Name | ast.Starred):
                            name = ast.unparse(target).lstrip("*")
                            # A statement of the function itself always takes place.
                            kept = set() if node in function.body else roots.get(name, set())
                            roots[name] = kept | aliased
                        elif isinstance(target, ast.Subscript | ast.Attribute):
                            written |= self._aliased(target.value, roots)
                case ast.AugAssign(target=target):
                    written |= self._aliased(target, roots)
                case ast.For(target=ast.Name(id=name), iter=values):
                    roots[name] = roots.get(name, set()) | self._aliased(values, roots)
                case ast.For(iter=values):
                    for each in ast.walk(node.target):
                        if isinstance(each, ast.Name):
                            aliased = self._aliased(values, roots)
                            roots[each.id] = roots.get(each.id, set()) | aliased
                case ast.Return(value=value):
                    shared |= self._aliased(value, roots)
                case ast.Call():
                    written |= self._of_call(node, roots, depth)
        self._results[function.name] = shared & parameters
        return written & parameters

    def _shared(self, function: Function) -> set[str] | None:
        """Return the parameters whose memory a function's result may share, or None."""
        self.of(function)
        return self._results.get(function.name)

    def _of_call(self, call: ast.Call, roots: Roots, depth: int) -> set[str]:
        """Return the parameters of a caller that one of its calls writes to."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        everything: set[str] = set().union(*(self._aliased(each, roots) for each in given))
        written = self._aliased(
            next((k.value for k in call.keywords if k.arg == "out"), None), roots
        )
        if isinstance(call.func, ast.Attribute):
            attr = call.func.attr
            if attr.endswith("_") and not attr.startswith("_"):
                written |= self._aliased(call.func.value, roots) | everything
            if attr == "apply" and ast.unparse(call.func.value) in self._classes:
                return written | self._of_apply(call, roots, depth, everything)
        called = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        name = ast.unparse(called)
        function = self.functions.get(name)
        if function is not None:
            return written | self._handed(call, function, roots, depth, everything)
        if isinstance(call.func, ast.Subscript):
            return written | everything
        if name in PLAIN | HANDING_ON or name.startswith(OURS):
            return written
        forward = self._forwards.get(name)
        if forward is not None:
            return written | self._handed(call, forward, roots, depth, everything)
        own = name.partition(".")[0] in {"self", "cls"}
        return written if isinstance(called, ast.Attribute) and not own else written | everything

    def _of_apply(self, call: ast.Call, roots: Roots, depth: int, everything: set[str]) -> set[str]:
        owner = self._classes[ast.unparse(call.func.value)]  # type: ignore[attr-defined]
        for method in owner.body:
            if isinstance(method, Function) and method.name == "forward":
                plain = ast.FunctionDef(**vars(method))
                plain.name = f"{owner.name}.forward"
                names = self.of(plain, depth + 1)
                if names is None or any(isinstance(a, ast.Starred) for a in call.args):
                    return everything
                places = parameters_of(method)[1:]
                given = dict(zip(places, call.args, strict=False))
                return set().union(
                    *(self._aliased(v, roots) for n, v in given.items() if n in names)
                )
        return everything

    def _handed(
        self, call: ast.Call, function: Function, roots: Roots, depth: int, everything: set[str]
    ) -> set[str]:
        names = self.of(function, depth + 1)
        starred = any(isinstance(each, ast.Starred) for each in call.args)
        if names is None or starred or any(each.arg is None for each in call.keywords):
            return everything
        given = arguments_of(call, function)
        others = [v for name, v in given if name not in parameters_of(function)]
        return self._of_any(others, roots).union(
            *(self._aliased(value, roots) for name, value in given if name in names)
        )

    def _of_kernel(self, function: Function, depth: int) -> set[str]:
        def called(call: ast.Call) -> list[ast.expr]:
            callee = self.functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
            if callee is None:
                return []
            names = self.of(callee, depth + 1)
            given = arguments_of(call, callee)
            return [value for name, value in given if names is None or name in names]

        return written_by_kernel(function, called)

    def _aliased(self, node: ast.AST | None, roots: Roots) -> set[str]:
        """Return the parameters whose memory a value may share. A copy counts as its tensor."""
        match node:
            case ast.Name(id=name):
                return set(roots.get(name, set()))
            case ast.Call(func=ast.Attribute(value=value, attr=attr) as called):
                name = ast.unparse(called)
                if name.startswith(OURS):
                    return self._of_any(node.args, roots) if attr in VIEWING else set()
                if attr in FRESH:
                    return set()
                return self._aliased(value, roots) | self._of_any(node.args, roots)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                if name in PLAIN:
                    return set()
                function = self.functions.get(name)
                if function is not None and (shared := self._shared(function)) is not None:
                    given = arguments_of(node, function)
                    if not any(isinstance(each, ast.Starred) for each in args):
                        return self._of_any([v for n, v in given if n in shared], roots)
                return self._of_any([*args, *(each.value for each in keywords)], roots)
            case ast.Attribute(value=value, attr=attr):
                return (
                    self._aliased(value, roots)
                    if attr in VIEWS | {"grad", "real", "imag"}
                    else set()
                )
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return self._aliased(value, roots)
            case ast.IfExp(body=body, orelse=orelse):
                return self._aliased(body, roots) | self._aliased(orelse, roots)
            case ast.BoolOp(values=elements) | ast.List(elts=elements) | ast.Tuple(elts=elements):
                return self._of_any(elements, roots)
            case ast.Dict(values=elements):
                return self._of_any(elements, roots)
            case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
                return self._of_any([each.iter for each in generators], roots)
            case ast.NamedExpr(value=value):
                return self._aliased(value, roots)
        return set()

    def _of_any(self, nodes: Iterable[ast.AST], roots: Roots) -> set[str]:
        return set().union(*(self._aliased(each, roots) for each in nodes))


def _without_aliases(text: str, entry: str) -> str:
    """Return the text without second names for inputs: `h1 = tensor`, `q = q`."""
    tree = ast.parse(text)
    function = next(n for n in tree.body if isinstance(n, Function) and n.name == entry)
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    stored = [node.id for node in names if not isinstance(node.ctx, ast.Load)]
    parameters = set(parameters_of(function))
    inner = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} - parameters
    edits = Edits(text)
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                if name == other:
                    edits.drop(statement, alone=False)
                elif (
                    stored.count(name) == 1
                    and other in parameters - set(stored)
                    and not {name, other} & inner
                ):
                    edits.drop(statement, alone=False)
                    for node in names:
                        if node.id == name and isinstance(node.ctx, ast.Load):
                            edits.put(node, other)
    return edits.text()
