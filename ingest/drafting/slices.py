"""Cutting of a test into inputs, reference and candidate.

The names that cross the cut become the parameters of both sides.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ingest.drafting.statements import (
    drop_binding,
    filter_blocks,
    find_effects,
    find_free_names,
    keep_binding,
    loaded_names,
    stored_names,
)

RANDOM = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like",
          "normal", "normal_", "uniform_", "random_", "bernoulli", "bernoulli_", "multinomial",
          "exponential_", "shuffle", "sample", "choice"}  # fmt: skip
OF_NUMBERS = {"sum", "len", "int", "float", "min", "max", "range", "list", "sorted"}
ALIASING = {"clone", "detach", "requires_grad_", "contiguous", "requires_grad"}

Statements = tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """Statements in the order of the test. `parameters` are in the order of the candidate's use."""

    inputs: Statements
    reference: Statements
    candidate: Statements
    expected: tuple[ast.expr, ...]
    actual: tuple[ast.expr, ...]
    parameters: tuple[str, ...]
    unset: tuple[str, ...] = ()
    """Names that a side reads and that only some of its branches bind."""

    @property
    def uses(self) -> frozenset[str]:
        """Return every name that the cut reads."""
        nodes = (*self.inputs, *self.reference, *self.candidate, *self.expected, *self.actual)
        return _loads(nodes)

    def taking(self, parameters: Sequence[str]) -> Cut:
        """Return the cut with other parameters."""
        return replace(self, parameters=tuple(parameters))


def find_needed(
    before: Sequence[ast.stmt], names: Iterable[str], local: frozenset[str]
) -> set[int]:
    """Return the numbers of the statements that these names depend on."""
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
    """Cut the statements before a comparison.

    `pairs` of (expected, actual). `local`: the names that the test binds. `given`: those of them
    that are its parameters.
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
    # Inputs must not depend on what a side computes.
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
    whole = _move_copies(whole)
    return replace(whole, inputs=_still_needed(whole.inputs, whole.parameters, local))


def _drop_unread(side: Statements, results: Sequence[ast.expr]) -> Statements:
    """Drop statements of a side, also in branches and loops, whose results no other statement
    reads.
    """
    while True:
        counts = Counter(
            node.id
            for part in (*side, *results)
            for node in ast.walk(part)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        )
        keep = partial(_is_read, counts)
        filtered_side = (filter_blocks(statement, keep) for statement in side)
        kept = tuple(statement for statement in filtered_side if statement is not None)
        if kept == side:
            return side
        side = kept


def _is_read(counts: Counter[str], statement: ast.stmt) -> bool:
    """Return whether another statement reads the results of a simple statement."""
    effect = find_effects(statement)
    own = Counter(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    )
    return effect.idle or any(counts[name] > own[name] for name in effect.binds | effect.changes)


def _move_copies(whole: Cut) -> Cut:
    """Move statements that only copy an input from the inputs to the sides. Otherwise a checker
    that varies one of two equal inputs makes the sides differ.
    """
    later: set[str] = set()
    for statement in reversed(whole.inputs):
        effect = find_effects(statement)
        originals = _copied_names(statement)
        (name,) = effect.binds if len(effect.binds) == 1 else ("",)
        others = (find_effects(one) for one in whole.inputs if one is not statement)
        again = any(name in one.binds | one.changes for one in others)
        if originals and name in whole.parameters and not again and not originals & later:
            whole = _move_copy(whole, statement, name, originals)
        later |= effect.binds | effect.changes
    return whole


def _move_copy(whole: Cut, statement: ast.stmt, name: str, originals: frozenset[str]) -> Cut:
    place = whole.parameters.index(name)
    fresh = [each for each in _in_order(statement) if each in originals - {*whole.parameters}]
    reads = [name in find_side_inputs(*side) for side in _both(whole)]
    return replace(
        whole,
        reference=(statement,) * reads[0] + whole.reference,
        candidate=(statement,) * reads[1] + whole.candidate,
        parameters=(
            *whole.parameters[:place],
            *dict.fromkeys(fresh),
            *whole.parameters[place + 1 :],
        ),
    )


def move_functions(
    whole: Cut, is_function: Callable[[ast.expr], bool], local: frozenset[str]
) -> Cut:
    """Move the binding of a function from the inputs to the sides that call it: `f = naive`, a
    lambda, an inner definition. No input can hold a function.
    """
    for name in whole.parameters:
        binding = [keep_binding(statement, name) for statement in whole.inputs]
        moved = [statement for statement in binding if statement is not None]
        values = [value for statement in moved for value in _bound_values(statement, name)]
        if not values or not all(value is None or is_function(value) for value in values):
            continue
        needs = frozenset().union(*(find_free_names(statement) for statement in moved)) & local
        place = whole.parameters.index(name)
        fresh = sorted(needs - {*whole.parameters})
        reads = [name in find_side_inputs(*side) for side in _both(whole)]
        rest = [drop_binding(statement, name) for statement in whole.inputs]
        parameters = (*whole.parameters[:place], *fresh, *whole.parameters[place + 1 :])
        inputs = [statement for statement in rest if statement is not None]
        whole = replace(
            whole,
            inputs=_still_needed(inputs, parameters, local),
            reference=(*moved,) * reads[0] + whole.reference,
            candidate=(*moved,) * reads[1] + whole.candidate,
            parameters=parameters,
        )
    return whole


def _bound_values(statement: ast.stmt, name: str) -> Iterator[ast.expr | None]:
    """Yield the values that a name is bound to, None for a definition."""
    for node in ast.walk(statement):
        match node:
            case ast.FunctionDef(name=bound) if bound == name:
                yield None
            case ast.Assign(targets=targets, value=value):
                if any(name in stored_names(target) for target in targets):
                    yield value


def _both(whole: Cut) -> list[tuple[Statements, tuple[ast.expr, ...]]]:
    return [(whole.reference, whole.expected), (whole.candidate, whole.actual)]


def _copied_names(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement copies if it does nothing else: `a = b.clone()`, `a = None
    if b is None else b.clone()`, `a = [x.clone() for x in (b, c)]`.
    """
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            found = _names_copied_by(value)
            return frozenset() if name in found else found
    return frozenset()


def _names_copied_by(value: ast.expr) -> frozenset[str]:
    match value:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            parts = [part for part in (body, orelse) if not isinstance(part, ast.Constant)]
            found = frozenset().union(*map(_names_copied_by, parts))
            return (
                found
                if all(map(_names_copied_by, parts)) and loaded_names(test) <= found
                else frozenset()
            )
        case ast.ListComp(
            elt=elt,
            generators=[ast.comprehension(target=ast.Name(id=each), iter=iterated, ifs=[])],
        ):
            names = iterated.elts if isinstance(iterated, ast.List | ast.Tuple) else []
            plain = all(isinstance(one, ast.Name) for one in names)
            return (
                loaded_names(iterated) if plain and _names_copied_by(elt) == {each} else frozenset()
            )
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASING:
            return frozenset()
        value = value.func.value
    return frozenset({value.id}) if isinstance(value, ast.Name) else frozenset()


def find_side_inputs(side: Sequence[ast.stmt], results: Sequence[ast.expr]) -> frozenset[str]:
    """Return the names that a side reads and does not bind itself."""
    body = [*side, *(ast.copy_location(ast.Expr(result), result) for result in results)]
    return find_free_names(ast.If(ast.Constant(True), body, []))


def find_plain_names(inputs: Sequence[ast.stmt]) -> set[str]:
    """Return the names of Python numbers and lists that the inputs bind without calling torch."""
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
    """Return the statements that draw random numbers: they are drawn once, for both sides."""
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
    """Return the statements with which the candidate computes before its first launch. Its launcher
    must not compute them with torch.
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
    """Return whether a statement only copies values: `a = b.clone().requires_grad_()`."""
    value = getattr(statement, "value", None)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASING:
            return False
        value = value.func.value
    return isinstance(value, ast.Name | ast.Attribute) and isinstance(statement, ast.Assign)


def _constructs(statement: ast.stmt) -> bool:
    """Return whether a statement allocates or defines a function. A launcher may do both."""
    if isinstance(statement, ast.FunctionDef):
        return True
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant):
        return True
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
    """Return the names that a side takes from outside, in the order of its text."""
    free = find_side_inputs(side, results) & local
    named = (name for node in (*side, *results) for name in _in_order(node))
    return [name for name in dict.fromkeys(named) if name in free]


def _in_order(node: ast.AST) -> list[str]:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def _still_needed(
    inputs: Sequence[ast.stmt], parameters: Sequence[str], local: frozenset[str]
) -> Statements:
    kept = find_needed(inputs, parameters, local)
    return tuple(inputs[n] for n in sorted(kept))


def _loads(nodes: Sequence[ast.AST]) -> frozenset[str]:
    return frozenset().union(*(loaded_names(node) for node in nodes))
