"""Effects of a test's statements: the names that each statement binds, changes and reads."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curation.source.functions import loaded_names, stored_names

FORGOTTEN = {"grad", "requires_grad"}
"""Attributes that concern gradients and not values."""

COMPARING = re.compile(r"close|equal|compare", re.I)
IDLE = re.compile(
    r"(.*\.)?(print|backward|requires_grad_|manual_seed|manual_seed_all|seed|skip|synchronize"
    r"|empty_cache|retain_grad|reset_peak_memory_stats|info|debug|warning|collect|xfail|zero_grad)"
)
"""Calls that change no value. A statement with only such calls can be dropped."""

PASSED_THROUGH = ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.device",
                  "torch.cuda.device", "torch.set_grad_enabled")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effects:
    binds: frozenset[str] = frozenset()
    """Names that get a new value, which does not depend on their earlier value."""
    changes: frozenset[str] = frozenset()
    """Names whose value may differ after the statement."""
    uses: frozenset[str] = frozenset()

    @property
    def idle(self) -> bool:
        return not self.binds and not self.changes


def mark_written(node: ast.AST, names: frozenset[str]) -> None:
    """Record the names to which a call or its statement writes, before the effects are read."""
    node.written = names  # type: ignore[attr-defined]


def written_names(node: ast.AST) -> frozenset[str] | None:
    """Return the names to which a call, or a statement's call, writes. Return None if unknown."""
    names: frozenset[str] | None = getattr(node, "written", None)
    return names


@functools.lru_cache(maxsize=2_000)
def find_effects(statement: ast.stmt) -> Effects:
    match statement:
        case ast.Assign(targets=targets, value=value):
            return _assignment(targets, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _assignment([target], value)
        case ast.AugAssign(target=target, value=value):
            root = {root_of(target)} - {None}
            return Effects(changes=_clean(root), uses=loaded_names(value) | _clean(root))
        case ast.Expr(value=ast.Call() as call):
            written = written_names(statement)
            if written:
                return Effects(changes=written, uses=loaded_names(call))
            return _call(call)
        case ast.FunctionDef(name=name):
            inner = _own_names(statement)
            return Effects(frozenset({name}), uses=loaded_names(statement) - inner)
        case ast.Delete(targets=targets):
            shortened = {root_of(target) for target in targets if not isinstance(target, ast.Name)}
            changed = _clean(shortened - {None})
            return Effects(changes=changed, uses=changed | loaded_names(statement))
        case ast.For() | ast.While() | ast.If() | ast.With() | ast.Try():
            return _compound(statement)
    return Effects()


def find_free_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names that a statement or expression reads before it binds them."""
    return _BoundNames(set(bound)).read(node)


class _BoundNames:
    """Names that are bound so far, while statements are read in order."""

    def __init__(self, bound: set[str]) -> None:
        self.bound = bound

    def read(self, node: ast.AST | None) -> frozenset[str]:
        match node:
            case None:
                return frozenset()
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                free = self.read(iterated)
                self.bound |= stored_names(target)
                return free | self._block([*body, *orelse])
            case ast.If(test=test, body=body, orelse=orelse):
                first, second = _BoundNames(set(self.bound)), _BoundNames(set(self.bound))
                free = self.read(test) | first._block(body) | second._block(orelse)
                self.bound = first.bound & second.bound
                return free
            case ast.With(items=items, body=body):
                free = frozenset().union(*(self.read(item.context_expr) for item in items))
                for item in items:
                    self.bound |= stored_names(item.optional_vars) if item.optional_vars else set()
                return free | self._block(body)
            case ast.While() | ast.Try():
                free = loaded_names(node) - self.bound - stored_names(node)
                return free | self._block(node.body)
            case ast.FunctionDef(name=name):
                free = loaded_names(node) - _own_names(node) - self.bound
                self.bound.add(name)
                return free
            case ast.AugAssign(target=target, value=value):
                changed = {root_of(target)} - {None}
                free = (loaded_names(value) | loaded_names(target) | _clean(changed)) - self.bound
                self.bound |= stored_names(target)
                return free
        inner = frozenset().union(
            *(
                stored_names(each.target) for each in ast.walk(node)
                if isinstance(each, ast.comprehension)
            )
        )  # fmt: skip
        free = loaded_names(node) - self.bound - inner
        self.bound |= stored_names(node)
        return free

    def _block(self, body: Sequence[ast.stmt]) -> frozenset[str]:
        return frozenset().union(*(self.read(statement) for statement in body))


def root_of(node: ast.expr) -> str | None:
    """Return `x` for `x.a[0].b`, or None."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def root_name(node: ast.expr) -> str:
    """Return `x` for `x.view(-1)[0]`, or ""."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


@dataclass(frozen=True, slots=True)
class ReachedStatement:
    """A simple statement with the statements that run before it, the conditions around it, and the
    names that the loops around it bind.
    """

    statement: ast.stmt
    before: tuple[ast.stmt, ...]
    conditions: tuple[ast.expr, ...] = ()
    turning: frozenset[str] = frozenset()


def walk_statements(
    body: Sequence[ast.stmt],
    before: Sequence[ast.stmt] = (),
    conditions: tuple[ast.expr, ...] = (),
    turning: frozenset[str] = frozenset(),
) -> Iterator[ReachedStatement]:
    """Yield each simple statement with the statements that run before it if all branches around it
    are taken.
    """
    earlier = list(before)
    for statement in body:
        if isinstance(statement, ast.With) and _only_passes(statement):
            # The block only sets a mode, so its statements count as part of the outer block.
            yield from walk_statements(statement.body, earlier, conditions, turning)
            earlier += flatten(statement.body)
            continue
        if isinstance(statement, ast.If):
            asked = ast.copy_location(ast.Assert(statement.test), statement)
            yield ReachedStatement(asked, tuple(earlier), conditions, turning)
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), statement.test), statement.test)
            taken, other = (*conditions, statement.test), (*conditions, negated)
            yield from walk_statements(statement.body, earlier, taken, turning)
            yield from walk_statements(statement.orelse, earlier, other, turning)
        elif isinstance(statement, ast.For | ast.While | ast.With | ast.Try):
            inner = turning
            if isinstance(statement, ast.For):
                inner |= stored_names(statement.target)
            for part in ("body", "orelse", "finalbody"):
                block = getattr(statement, part, [])
                yield from walk_statements(block, earlier, conditions, inner)
        else:
            yield ReachedStatement(statement, tuple(earlier), conditions, turning)
        earlier.append(drop_comparisons(statement))


@functools.lru_cache(maxsize=2_000)
def drop_comparisons(statement: ast.stmt) -> ast.stmt:
    """Return a compound statement without assertions and comparisons. Otherwise it would seem to
    need the results that these compare.
    """
    if not isinstance(statement, ast.If | ast.For | ast.While | ast.With):
        return statement
    kept = filter_blocks(statement, lambda each: not _idle(each))
    return kept or ast.copy_location(ast.Pass(), statement)


def filter_blocks(statement: ast.stmt, keep: Callable[[ast.stmt], bool]) -> ast.stmt | None:
    """Return a statement with only those simple statements that `keep` accepts, or None if it
    accepts no statement.
    """
    if not isinstance(statement, ast.If | ast.For | ast.While | ast.With):
        return statement if keep(statement) else None
    parts = {
        part: [
            kept
            for each in getattr(statement, part)
            if (kept := filter_blocks(each, keep)) is not None
        ]
        for part in ("body", "orelse")
        if hasattr(statement, part)
    }
    if not any(parts.values()):
        return None
    if all(kept == getattr(statement, part) for part, kept in parts.items()):
        return statement
    parts["body"] = parts["body"] or [ast.copy_location(ast.Pass(), statement)]
    return ast.copy_location(type(statement)(**{**vars(statement), **parts}), statement)


def _idle(statement: ast.stmt) -> bool:
    """Return whether a simple statement only compares, prints or asserts."""
    if isinstance(statement, ast.Assert):
        return True
    return isinstance(statement, ast.Expr) and find_effects(statement).idle


def flatten(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    statements: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.With) and _only_passes(statement):
            statements += flatten(statement.body)
        else:
            statements.append(statement)
    return statements


def _only_passes(statement: ast.With) -> bool:
    return all(
        isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func) in PASSED_THROUGH
        and item.optional_vars is None
        for item in statement.items
    )


def _assignment(targets: Sequence[ast.expr], value: ast.expr) -> Effects:
    binds: set[str | None] = set()
    changes: set[str | None] = set()
    uses = set(loaded_names(value))
    pending = list(targets)
    while pending:
        target = pending.pop()
        match target:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                pending += elts
            case ast.Starred(value=inner):
                pending.append(inner)
            case ast.Name(id=name):
                binds.add(name)
            case ast.Attribute(attr=attr) if attr in FORGOTTEN:
                pass
            case ast.Attribute() | ast.Subscript():
                changes.add(root_of(target))
                uses |= loaded_names(target)
    return Effects(_clean(binds), _clean(changes), frozenset(uses))


def _call(call: ast.Call) -> Effects:
    name = ast.unparse(call.func)
    if IDLE.fullmatch(name) or COMPARING.search(name.rpartition(".")[2]):
        return Effects()
    changes: set[str | None] = set()
    if isinstance(call.func, ast.Attribute | ast.Subscript):
        changes.add(root_of(call.func))
    # If a call's result is discarded, the purpose of the call is its effect on the arguments.
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        changes.add(root_of(argument))
    return Effects(changes=_clean(changes), uses=loaded_names(call))


def _compound(statement: ast.stmt) -> Effects:
    changes: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt) and node is not statement:
            inner = find_effects(node)
            changes |= inner.binds | inner.changes
    if isinstance(statement, ast.For):
        changes |= stored_names(statement.target)
    bound = changes & stored_names(statement)
    if isinstance(statement, ast.If) and not changes:
        return Effects()
    if isinstance(statement, ast.If) and bound and _binds_everywhere(statement, bound):
        return Effects(frozenset(bound), frozenset(changes - bound), loaded_names(statement))
    return Effects(changes=frozenset(changes), uses=loaded_names(statement))


def _binds_everywhere(statement: ast.If, names: set[str]) -> bool:
    """Return whether every branch binds every name, so that earlier values are lost."""
    if not statement.orelse:
        return False
    for body in (statement.body, statement.orelse):
        bound: set[str] = set()
        for inner in body:
            bound |= find_effects(inner).binds
        if not names <= bound:
            return False
    return True


def _own_names(function: ast.FunctionDef) -> frozenset[str]:
    a = function.args
    parameters = (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))
    bound = frozenset().union(*(stored_names(s) for s in function.body))
    inner: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Lambda):
            inner |= {p.arg for p in node.args.args}
        elif isinstance(node, ast.comprehension):
            inner |= stored_names(node.target)
    return bound | frozenset(p.arg for p in parameters) | inner


def _clean(names: set[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)
