"""Flow of values through a kernel's source: which parameters it stores, and whether it computes.

The analysis ignores the order of statements and branches. It follows a value from a parameter, or
from the memory that the parameter points to, through arithmetic into stores. It does not follow
addresses and comparisons, because these select the stored value, but are not stored.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

# Calls that only move values, or change their type.
MOVES = frozenset({
    "to", "cast", "trans", "permute", "reshape", "view", "broadcast", "broadcast_to",
    "expand_dims", "ravel", "join", "split", "flip", "cat", "multiple_of", "max_contiguous",
    "max_constancy", "assume", "range", "static_range", "tuple", "constexpr",
})  # fmt: skip
DESCRIPTIONS = frozenset({"dtype", "shape", "type", "numel"})

Key = tuple[str, int]
"""Name and first line of a function."""


@dataclass(frozen=True, slots=True)
class ArgFlow:
    """Parameters that an expression depends on: by their values, or by pointing into their memory.

    `values`: a parameter's position, and whether arithmetic was done on its value.
    """

    values: frozenset[tuple[int, bool]] = frozenset()
    memory: frozenset[int] = frozenset()

    def __or__(self, other: "ArgFlow") -> "ArgFlow":
        return ArgFlow(self.values | other.values, self.memory | other.memory)

    def computed(self) -> "ArgFlow":
        return ArgFlow(frozenset((place, True) for place, _ in self.values), self.memory)

    def loaded(self) -> "ArgFlow":
        return ArgFlow(frozenset((place, False) for place in self.memory))


NOTHING = ArgFlow()


def stored_parameters(text: str, kernel: Key, pointers: Set[int]) -> frozenset[int]:
    """Return the positions of the parameters whose values or memory contents the kernel stores.

    pointers: positions of the parameters that point to memory.
    """
    stored = _stored(text, kernel, frozenset(pointers))
    return frozenset(place for flow in stored for place, _ in flow.values)


def only_moves(text: str, name: str) -> bool:
    """Return whether every kernel of this name stores only loaded values, without arithmetic."""
    stored = [flow for key in functions(text) if key[0] == name for flow in _stored(text, key)]
    return bool(stored) and all(
        flow.values and not any(computed for _, computed in flow.values) for flow in stored
    )


@lru_cache(maxsize=8)
def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a text, empty if it can't be parsed. Don't change the tree."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@lru_cache(maxsize=8)
def functions(text: str) -> Mapping[Key, ast.FunctionDef]:
    """Return each function by its name and its first line, which may be a decorator's."""
    return {
        (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])): node
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef)
    }


@lru_cache(maxsize=256)
def _stored(text: str, kernel: Key, pointers: frozenset[int] | None = None) -> frozenset[ArgFlow]:
    node = functions(text).get(kernel)
    if node is None:
        return frozenset()
    body = _Body({each.name: each for each in functions(text).values()})
    count = len(_parameters(node))
    places = range(count) if pointers is None else pointers
    body.follow(
        node,
        [
            ArgFlow(memory=frozenset({place}))
            if place in places
            else ArgFlow(frozenset({(place, False)}))
            for place in range(count)
        ],
    )
    return frozenset(body.stored)


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


class _Body:
    """Analysis of a kernel's body and of the functions that it calls."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self._functions = functions
        self._followed: dict[tuple[str, tuple[ArgFlow, ...]], ArgFlow] = {}
        self._names: dict[str, ArgFlow] = {}
        self.stored: set[ArgFlow] = set()

    def follow(self, node: ast.FunctionDef, given: Sequence[ArgFlow]) -> ArgFlow:
        """Return the flow of the function's result, from the flows of its arguments."""
        key = node.name, tuple(given)
        if key in self._followed:
            return self._followed[key]
        # A recursive call has no flow: Triton has no recursion.
        self._followed[key] = NOTHING
        outer, self._names = self._names, dict(zip(_parameters(node), given, strict=False))
        before: dict[str, ArgFlow] | None = None
        returned = NOTHING
        while before != self._names:
            before = dict(self._names)
            for inner in ast.walk(node):
                returned |= self._statement(inner)
        self._names = outer
        self._followed[key] = returned
        return returned

    def _statement(self, node: ast.AST) -> ArgFlow:
        """Analyze a statement. Return the flow of its value if it is a `return` statement."""
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, self._flow(value))
            case ast.AnnAssign(target, _, ast.expr() as value):
                self._bind(target, self._flow(value))
            case ast.AugAssign(target, _, value):
                self._bind(target, (self._flow(target) | self._flow(value)).computed())
            case ast.For(target, iterable):
                self._bind(target, self._flow(iterable))
            case ast.Expr(value):
                self._flow(value)
            case ast.Return(ast.expr() as value):
                return self._flow(value)
        return NOTHING

    def _bind(self, target: ast.expr, flow: ArgFlow) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._names[node.id] = self._names.get(node.id, NOTHING) | flow

    def _flow(self, node: ast.expr) -> ArgFlow:
        match node:
            case ast.Name(name):
                return self._names.get(name, NOTHING)
            case ast.NamedExpr(target, value):
                self._bind(target, self._flow(value))
                return self._flow(value)
            case ast.Call():
                return self._call(node)
            case ast.Compare():
                return NOTHING
            case ast.Attribute(value, name):
                return NOTHING if name in DESCRIPTIONS else self._flow(value)
            case ast.Subscript(value):
                return self._flow(value)
            case ast.IfExp(_, body, otherwise):
                return self._flow(body) | self._flow(otherwise)
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp():
                return self._together(ast.iter_child_nodes(node)).computed()
        return self._together(ast.iter_child_nodes(node))

    def _together(self, nodes: Iterable[ast.AST]) -> ArgFlow:
        whole = NOTHING
        for node in nodes:
            if isinstance(node, ast.expr):
                whole |= self._flow(node)
        return whole

    def _call(self, node: ast.Call) -> ArgFlow:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if isinstance(node.func, ast.Name):
            name = node.func.id
        given = [self._flow(one) for one in node.args]
        named = {one.arg or "": self._flow(one.value) for one in node.keywords}
        if name in self._functions:
            return self._inner(self._functions[name], given, named)
        owner = self._flow(node.func.value) if isinstance(node.func, ast.Attribute) else NOTHING
        target = owner if owner != NOTHING else (*given, named.get("pointer", NOTHING))[0]
        everything = owner
        for flow in (*given, *named.values()):
            everything |= flow
        if name == "load" or name.startswith("load_") or name == "gather":
            return target.loaded() | ArgFlow(named.get("other", NOTHING).values)
        if name == "store" or name.startswith(("store_", "atomic_", "scatter")):
            value = named.get("value", named.get("val", (*given, NOTHING, NOTHING)[1]))
            self.stored.add(value.computed() if name.startswith("atomic_") else value)
            return target.loaded()
        if name == "where":
            chosen = (*given[1:], *(named.get(part, NOTHING) for part in ("x", "y")))
            return ArgFlow(frozenset().union(*(flow.values for flow in chosen)))
        return everything if name in MOVES else everything.computed()

    def _inner(
        self, node: ast.FunctionDef, given: Sequence[ArgFlow], named: Mapping[str, ArgFlow]
    ) -> ArgFlow:
        flows = [
            named.get(name, given[place] if place < len(given) else NOTHING)
            for place, name in enumerate(_parameters(node))
        ]
        return self.follow(node, flows)
