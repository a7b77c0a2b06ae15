"""Simplification of a cut test, so that both sides read as a person would write them.

Sizes and dtypes that a tensor of the inputs has are taken from this tensor. Second names of a value
and names of a result that is only returned go.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from curation.source.functions import stored_names
from ingest.drafting.moving import copied_name
from ingest.drafting.slices import Cut, find_simple
from ingest.drafting.statements import find_effects, mark_written, written_names

ALLOCATING = {"randn", "rand", "empty", "zeros", "ones", "full"}
KEEPING = {"to", "cuda", "cpu", "contiguous", "clone", "requires_grad_", "normal_", "uniform_",
           "zero_", "fill_", "abs", "sigmoid", "float", "half", "bfloat16", "double", "int", "long",
           "detach"}  # fmt: skip
"""Methods that keep the shape of a tensor."""
RETYPING = {"to", "float", "half", "bfloat16", "double", "int", "long"}
ELEMENTWISE = {"logsigmoid", "sigmoid", "softplus", "normalize", "softmax", "relu", "exp", "tanh"}
# A returned expression of more characters keeps its name.
SHORT = 80

Statements = tuple[ast.stmt, ...]


def find_in_inputs(
    whole: Cut, takes: Sequence[str], tuples: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return expressions of the inputs by the names of sizes and dtypes: `n` is `x.shape[0]` if the
    inputs have `x = torch.randn(n, dtype=dtype)`. `tuples`: the names of whole shapes.
    """
    counts = Counter(name for each in whole.inputs for name in find_effects(each).binds)
    sides = (*whole.reference, *whole.candidate)
    rebound = frozenset().union(*(stored_names(each) for each in sides))
    known: dict[str, str] = {}
    # `torch.randn(shape)` with `shape = [n]`: the shape is no size.
    shapes = {
        name
        for statement in whole.inputs
        for name in find_effects(statement).binds
        if isinstance(statement, ast.Assign)
        and not isinstance(statement.value, ast.Constant | ast.Attribute)
    }
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                continue
        if name not in takes or counts[name] != 1 or name in rebound:
            continue
        for size, attribute in allocated_facts(value):
            if size in tuples:
                attribute = "shape" if _is_whole_shape(value, size) else ""
            if attribute and size in takes and size not in rebound | shapes and counts[size] <= 1:
                known.setdefault(size, f"{name}.{attribute}")
    return known


def _is_whole_shape(value: ast.expr, name: str) -> bool:
    """Return whether a new tensor has this shape: `torch.randn(shape, dtype=dtype)`."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call) and node.args]
    handed = [[ast.unparse(argument) for argument in call.args] for call in calls]
    return [name] in handed


def simplify(whole: Cut) -> Cut:
    """Return the cut with sides that bind no value twice."""
    reference, expected = _simplified(whole.reference, whole.expected)
    candidate, actual = _simplified(whole.candidate, whole.actual)
    return replace(
        whole, reference=reference, expected=expected, candidate=candidate, actual=actual
    )


class Tidying(ast.NodeTransformer):
    """Removal of what a reader of one side needs no more: copies of what nothing writes to, a
    conversion to the dtype that a value already has, and branches that constants decide.

    `copied`: the parameters whose copies may go: none if the side assigns into a tensor.
    """

    def __init__(self, copied: frozenset[str]) -> None:
        self._copied = copied

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        written = written_names(node)
        if written is not None or _is_of_torch(node.func):
            names = self._copied - (written or frozenset())
            node.args = [_original(each, names) for each in node.args]
            for keyword in node.keywords:
                keyword.value = _original(keyword.value, names)
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Attribute(attr="to")) as inner, attr="to"
                )
            ) if ast.dump(ast.Tuple(inner.args)) == ast.dump(ast.Tuple(node.args)):
                return inner
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not node.attr.endswith("_") and isinstance(node.ctx, ast.Load):
            node.value = _original(node.value, self._copied)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        node.left = _original(node.left, self._copied)
        node.right = _original(node.right, self._copied)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        known = _constant(node.test)
        return node if known is None else node.body if known else node.orelse


def find_copied(statements: Sequence[ast.stmt], parameters: Sequence[str]) -> frozenset[str]:
    """Return the parameters of a side whose copies nothing can write to."""
    simple = [each for statement in statements for each in find_simple(statement)]
    return (
        frozenset() if any(find_effects(each).changes for each in simple) else frozenset(parameters)
    )


def _original(node: ast.expr, names: frozenset[str]) -> ast.expr:
    """Return `x` of `x.clone()` if it is one of these names."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as value, attr="clone"), args=[]):
            return value if name in names else node
        case ast.IfExp():
            node.body = _original(node.body, names)
            node.orelse = _original(node.orelse, names)
    return node


def _is_of_torch(called: ast.expr) -> bool:
    return ast.unparse(called).startswith(("torch.", "F.", "nn.functional."))


def _constant(test: ast.expr) -> bool | None:
    match test:
        case ast.Constant(value=bool(value)):
            return value
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool(value))):
            return not value
    return None


def inline_results(
    statements: Statements, results: Sequence[ast.expr]
) -> tuple[Statements, list[ast.expr]]:
    """Return a side whose last value is returned without a name of its own."""
    results = list(results)
    if not statements or len(results) != 1:
        return statements, results
    match statements[-1]:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _root(results[0]) == name:
            length = len(ast.unparse(value)) + len(ast.unparse(results[0]))
            if length < SHORT and _loads((*statements, *results))[name] == 1:
                inline = _Substitution({name: value})
                return statements[:-1], [inline.visit(copy.deepcopy(results[0]))]
    return statements, results


def _root(node: ast.expr) -> str:
    """Return `y` of `y` or `y.to(dtype)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return node.id if isinstance(node, ast.Name) else ""


def allocated_facts(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the names that give a new tensor its sizes and dtype, each with the tensor's attribute
    of the same value: `("n", "shape[0]")`, `("kind", "dtype")`.
    """
    retyped = False
    while True:
        match value:
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if (
                attr in KEEPING and ast.unparse(inner) != "torch"
            ):
                retyped |= attr in RETYPING and bool(value.args or attr != "to")
                value = inner
            case ast.Call(func=func, args=[inner, *_]) if (
                ast.unparse(func).rpartition(".")[2] in ELEMENTWISE
            ):
                value = inner
            case ast.BinOp(left=inner, right=ast.Constant()):
                value = inner
            case ast.BinOp(left=ast.Constant(), right=inner):
                value = inner
            case _:
                break
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=args):
            if attr not in ALLOCATING:
                return
        case _:
            return
    sizes = args
    if args and isinstance(args[0], ast.Tuple | ast.List):
        sizes = args[0].elts
    elif attr == "full":
        return
    if any(isinstance(each, ast.Starred) for each in sizes):
        return
    for place, size in enumerate(sizes):
        if isinstance(size, ast.Name):
            yield size.id, f"shape[{place}]"
    for keyword in value.keywords:
        if keyword.arg == "dtype" and isinstance(keyword.value, ast.Name) and not retyped:
            yield keyword.value.id, "dtype"


def _simplified(
    statements: Statements, results: Sequence[ast.expr]
) -> tuple[Statements, tuple[ast.expr, ...]]:
    for place, statement in enumerate(statements):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                rest = statements[place + 1 :]
                other = _copied(value, name, (*rest, *results))
                if not other or not _is_steady(name, other, statements, place):
                    continue
                names = {name: ast.Name(other, ast.Load())}
                changed = tuple(_renamed(each, names, name, other) for each in rest)
                answers = tuple(_Substitution(names).visit(copy.deepcopy(each)) for each in results)
                return _simplified((*statements[:place], *changed), answers)
    return statements, tuple(results)


def _copied(value: ast.expr, name: str, later: Sequence[ast.AST]) -> str:
    """Return the name that a value is another name or an unneeded copy of, or "". A copy is needed
    if what follows may write to it.
    """
    other = copied_name(value)
    if isinstance(value, ast.Name) or not any(_may_write(each, {name, other}) for each in later):
        return other
    return ""


def _may_write(node: ast.AST, names: set[str]) -> bool:
    """Return whether a statement may write to one of these tensors."""
    if isinstance(node, ast.stmt) and names & find_effects(node).changes:
        return True
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target]):
                if names & {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}:
                    return True
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr.endswith("_"):
                if names & {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}:
                    return True
            case ast.Call(func=func, args=args, keywords=keywords):
                if ast.unparse(func).partition(".")[0] in {"torch", "F", "nn", "len", "range"}:
                    continue
                given = [*args, *(keyword.value for keyword in keywords)]
                handed = names & {each.id for each in given if isinstance(each, ast.Name)}
                written = written_names(inner)
                if handed and (written is None or handed & written):
                    return True
    return False


def _is_steady(name: str, other: str, statements: Statements, place: int) -> bool:
    """Return whether two names mean one value from a statement on."""
    for number, statement in enumerate(statements):
        bound = stored_names(statement)
        if number != place and (name in bound or (number > place and other in bound)):
            return False
    return True


def _renamed(statement: ast.stmt, names: Mapping[str, ast.expr], name: str, other: str) -> ast.stmt:
    made: ast.stmt = _Substitution(names).visit(copy.deepcopy(statement))
    for each in (made, *(node for node in ast.walk(made) if isinstance(node, ast.Call))):
        written = written_names(each)
        if written is not None and name in written:
            mark_written(each, written - {name} | {other})
    return made


def _loads(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(
        node.id
        for part in nodes
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


class _Substitution(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._names and isinstance(node.ctx, ast.Load):
            return copy.deepcopy(self._names[node.id])
        return node
