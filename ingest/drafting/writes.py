"""The parameters that the functions and kernels of a standalone text write to, by syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping

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
# Options of a launch, which are numbers.
OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg", "grid"}
DEEPEST = 12


class Writes:
    """The parameters that the functions of a text write to."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {n.name: n for n in tree.body if isinstance(n, Function)}
        self._classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self._forwards = dict(self._modules(tree))
        self._choices = dict(self._chosen(tree))
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

    def _chosen(self, tree: ast.Module) -> Iterator[tuple[str, list[Function]]]:
        """Yield the names that hold one of two functions: `kernel = first if wide else second`."""
        stores = [
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        ]
        for node in ast.walk(tree):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.IfExp(body=ast.Name(id=first), orelse=ast.Name(id=second)),
                ) if stores.count(name) == 1 and {first, second} <= self.functions.keys():
                    yield name, [self.functions[first], self.functions[second]]

    def backward_writes(self) -> bool:
        """Return whether a backward pass may write to what its forward pass has saved. A function
        outside of a class counts as one that does.
        """
        if "backward" in self.functions:
            return True
        for owner in self._classes.values():
            for method in owner.body:
                if isinstance(method, Function) and method.name == "backward":
                    names = self.of(_with_saved(method, f"{owner.name}.backward"))
                    context = method.args.args[0].arg if method.args.args else ""
                    if names is None or context in names:
                        return True
        return False

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
            choices = self._choices.get(name)
            if choices is None:
                return written | everything
            return written.union(
                *(self._handed(call, each, roots, depth, everything) for each in choices)
            )
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
        given = [(n, v) for n, v in arguments_of(call, function) if n not in OPTIONS]
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
                if attr == "apply" and ast.unparse(value) in self._classes:
                    return self._of_result(node, roots)
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

    def _of_result(self, call: ast.Call, roots: Roots) -> set[str]:
        """Return the parameters whose memory the result of an autograd function may share."""
        owner = self._classes[ast.unparse(call.func.value)]  # type: ignore[attr-defined]
        forward = next(
            (m for m in owner.body if isinstance(m, Function) and m.name == "forward"), None
        )
        if forward is None or any(isinstance(each, ast.Starred) for each in call.args):
            return self._of_any(call.args, roots)
        plain = ast.FunctionDef(**vars(forward))
        plain.name = f"{owner.name}.forward"
        shared = self._shared(plain)
        if shared is None:
            return self._of_any(call.args, roots)
        given = zip(parameters_of(forward)[1:], call.args, strict=False)
        return self._of_any([value for name, value in given if name in shared], roots)

    def _of_any(self, nodes: Iterable[ast.AST], roots: Roots) -> set[str]:
        return set().union(*(self._aliased(each, roots) for each in nodes))


def _with_saved(backward: Function, name: str) -> Function:
    """Return a backward pass in which `ctx.saved_tensors` is `ctx`: what it reads of its context
    may be an input.
    """
    plain = copy.deepcopy(backward)
    plain.name = name
    plain.decorator_list = []
    if not plain.args.args:
        return plain
    context = plain.args.args[0].arg

    class Saved(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            if isinstance(node.value, ast.Name) and node.value.id == context:
                return ast.copy_location(ast.Name(context, node.ctx), node)
            return node

    Saved().visit(plain)
    return plain
