"""Cutting of a test into inputs, reference and candidate.

Names that one part binds and another part reads become the parameters of both sides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from curation.source.functions import loaded_names
from ingest.drafting.reading.statements import filter_blocks, find_effects, find_free_names

RANDOM = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like",
          "normal", "normal_", "uniform_", "random_", "bernoulli", "bernoulli_", "multinomial",
          "exponential_", "shuffle", "sample", "choice"}  # fmt: skip
OF_NUMBERS = {"sum", "len", "int", "float", "min", "max", "range", "list", "sorted"}
ALIASING = {"clone", "detach", "requires_grad_", "contiguous", "requires_grad"}

Statements = tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """Statements in the test's order. `parameters` are in the order of the candidate's use."""

    inputs: Statements
    reference: Statements
    candidate: Statements
    expected: tuple[ast.expr, ...]
    actual: tuple[ast.expr, ...]
    parameters: tuple[str, ...]
    unset: tuple[str, ...] = ()
    """Names that a side reads, but that only some branches of it bind."""

    @property
    def uses(self) -> frozenset[str]:
        """Return every name that the cut reads."""
        nodes = (*self.inputs, *self.reference, *self.candidate, *self.expected, *self.actual)
        return _loads(nodes)

    def taking(self, parameters: Sequence[str]) -> Cut:
        """Return the cut with these parameters instead."""
        return replace(self, parameters=tuple(parameters))


def find_needed(
    before: Sequence[ast.stmt], names: Iterable[str], local: frozenset[str]
) -> set[int]:
    """Return the numbers of the statements on which these names depend."""
    wanted = set(names) & local
    needed: set[int] = set()
    for number in range(len(before) - 1, -1, -1):
        effect = find_effects(before[number])
        if not (effect.binds | effect.changes) & wanted:
            continue
        needed.add(number)
        wanted -= effect.binds
        wanted |= effect.uses & local
    return needed


def cut(
    before: Statements,
    pairs: Sequence[tuple[ast.expr, ast.expr]],
    local: frozenset[str],
    launches: Callable[[ast.stmt], bool],
    given: frozenset[str],
) -> Cut:
    """Cut the statements before a comparison into the parts.

    `pairs`: pairs of an expected and an actual expression. `local`: the names that the test binds.
    `given`: those of them that are the test's parameters.
    """
    expected = tuple(pair[0] for pair in pairs)
    actual = tuple(pair[1] for pair in pairs)
    of_reference = find_needed(before, _loads(expected), local)
    of_candidate = find_needed(before, _loads(actual), local)
    shared = of_reference & of_candidate
    shared |= _with_needs(before, _random(before, (of_reference | of_candidate) - shared), local)
    shared |= _with_needs(
        before, _prepared(before, of_candidate - shared, actual, launches, local), local
    )
    # Inputs must not depend on anything that a side computes.
    reference = tuple(before[n] for n in sorted(of_reference - shared))
    candidate = tuple(before[n] for n in sorted(of_candidate - shared))
    inputs = [before[n] for n in sorted(shared)]
    reference = _drop_unread(reference, expected)
    candidate = _drop_unread(candidate, actual)
    crossing = _crossing(candidate, actual, local)
    crossing += [n for n in _crossing(reference, expected, local) if n not in crossing]
    made = given.union(*(find_effects(one).binds | find_effects(one).changes for one in inputs))
    whole = Cut(
        tuple(inputs),
        reference,
        candidate,
        expected,
        actual,
        tuple(name for name in crossing if name in made),
        tuple(name for name in crossing if name not in made),
    )
    return replace(whole, inputs=still_needed(whole.inputs, whole.parameters, local))


def _drop_unread(side: Statements, results: Sequence[ast.expr]) -> Statements:
    """Drop the statements of a side on which no result depends, even in branches and loops."""
    simple = [each for statement in side for each in find_simple(statement)]
    needed = set(_loads(results)).union(*map(_conditions, side))
    while True:
        found = needed.union(*(_reads(each) for each in simple if _is_needed(each, needed)))
        if found == needed:
            break
        needed = found
    kept = (filter_blocks(each, lambda part: _is_needed(part, needed)) for each in side)
    return tuple(statement for statement in kept if statement is not None)


def _is_needed(statement: ast.stmt, needed: set[str]) -> bool:
    effect = find_effects(statement)
    return effect.idle or bool((effect.binds | effect.changes) & needed)


def _reads(statement: ast.stmt) -> frozenset[str]:
    effect = find_effects(statement)
    return effect.uses | effect.changes


def find_simple(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the simple statements in a compound statement, or the statement itself."""
    if not isinstance(statement, ast.If | ast.For | ast.While | ast.With):
        yield statement
        return
    for part in ("body", "orelse"):
        for each in getattr(statement, part, []):
            yield from find_simple(each)


def _conditions(statement: ast.stmt) -> frozenset[str]:
    """Return the names that decide which parts of a compound statement run."""
    if not isinstance(statement, ast.If | ast.For | ast.While | ast.With):
        return frozenset()
    heads = [getattr(statement, part, None) for part in ("test", "iter")]
    heads += [item.context_expr for item in getattr(statement, "items", [])]
    inner = [each for part in ("body", "orelse") for each in getattr(statement, part, [])]
    return frozenset().union(
        *(loaded_names(head) for head in heads if head is not None), *map(_conditions, inner)
    )


def find_side_inputs(side: Sequence[ast.stmt], results: Sequence[ast.expr]) -> frozenset[str]:
    """Return the names that a side reads but does not bind itself."""
    body = [*side, *(ast.copy_location(ast.Expr(result), result) for result in results)]
    return find_free_names(ast.If(ast.Constant(True), body, []))


def find_plain_names(inputs: Sequence[ast.stmt]) -> set[str]:
    """Return the names of Python's numbers and lists that inputs bind without using torch."""
    plain: set[str] = set()
    other: set[str] = set()
    for statement in inputs:
        effect = find_effects(statement)
        calls = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
        certain = all(isinstance(call, ast.Name) and call.id in OF_NUMBERS for call in calls)
        certain &= not any(isinstance(node, ast.Attribute) for node in ast.walk(statement))
        certain &= find_free_names(statement) - OF_NUMBERS <= plain
        (plain if certain else other).update(effect.binds | effect.changes)
    return plain - other


def _random(before: Statements, numbers: Iterable[int]) -> set[int]:
    """Return the statements that draw random numbers. They become inputs, shared by both sides."""
    return {
        n
        for n in numbers
        if any(
            isinstance(node, ast.Attribute) and node.attr in RANDOM for node in ast.walk(before[n])
        )
    }


def _prepared(
    before: Statements,
    numbers: set[int],
    actual: Sequence[ast.expr],
    launches: Callable[[ast.stmt], bool],
    local: frozenset[str],
) -> set[int]:
    """Return the statements in which the candidate computes before its first launch. A launcher
    must not compute these with torch.
    """
    prepared: set[int] = set()
    launched: set[str] = set()
    for n in sorted(numbers):
        effect = find_effects(before[n])
        if launches(before[n]) or effect.uses & launched:
            launched |= effect.binds | effect.changes
        elif not _only_aliases(before[n]) and not _constructs(before[n]):
            prepared.add(n)
    return prepared


def _only_aliases(statement: ast.stmt) -> bool:
    """Return whether a statement only copies values, as in `a = b.clone().requires_grad_()`."""
    value = getattr(statement, "value", None)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASING:
            return False
        value = value.func.value
    return isinstance(value, ast.Name | ast.Attribute) and _binds_a_name(statement)


def _binds_a_name(statement: ast.stmt) -> bool:
    """Return whether a statement binds a name, and does not only assign into a tensor."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def _constructs(statement: ast.stmt) -> bool:
    """Return whether a statement allocates or defines a function, which a launcher may do."""
    if isinstance(statement, ast.FunctionDef):
        return True
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant):
        return _binds_a_name(statement)
    return (
        isinstance(statement, ast.Assign)
        and isinstance(value, ast.Call)
        and ast.unparse(value.func).rpartition(".")[2]
        in {"empty", "empty_like", "zeros", "zeros_like", "new_empty", "new_zeros"}
    )


def _with_needs(before: Statements, numbers: set[int], local: frozenset[str]) -> set[int]:
    needed = set(numbers)
    for n in numbers:
        needed |= find_needed(
            before[:n], find_effects(before[n]).uses | find_effects(before[n]).changes, local
        )
    return needed


def _crossing(
    side: Sequence[ast.stmt], results: Sequence[ast.expr], local: frozenset[str]
) -> list[str]:
    """Return the names that a side reads from outside, in the order of its text."""
    free = find_side_inputs(side, results) & local
    named = (name for node in (*side, *results) for name in in_order(node))
    return [name for name in dict.fromkeys(named) if name in free]


def in_order(node: ast.AST) -> list[str]:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def still_needed(
    inputs: Sequence[ast.stmt], parameters: Sequence[str], local: frozenset[str]
) -> Statements:
    kept = find_needed(inputs, parameters, local)
    return tuple(inputs[n] for n in sorted(kept))


def _loads(nodes: Sequence[ast.AST]) -> frozenset[str]:
    return frozenset().union(*(loaded_names(node) for node in nodes))
