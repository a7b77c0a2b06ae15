"""Reading of one test as the source of a draft, with its operation and its reference."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from curation.source.functions import loaded_names, signature, stored_names
from curation.source.text import UNREADABLE
from ingest.drafting.cutting.compared import Test
from ingest.drafting.cutting.launching import Launching
from ingest.drafting.cutting.moving import move_copies
from ingest.drafting.cutting.references import describe, find_rule, why_no_reference
from ingest.drafting.cutting.slices import cut, find_needed, still_needed
from ingest.drafting.isolating.standalone import Isolator
from ingest.drafting.outcomes import (
    WHOLE,
    DraftAttempt,
    DraftPlace,
    DraftTexts,
    Missing,
    OperationDraft,
    Rule,
)
from ingest.drafting.reading.bounded import NotPlain
from ingest.drafting.reading.choosing import is_degenerate
from ingest.drafting.reading.comparisons import (
    TestedEquality,
    find_comparisons,
    order_answers,
    peel,
    reads_gradient,
)
from ingest.drafting.reading.naming import entry_point
from ingest.drafting.reading.operations import Operations
from ingest.drafting.reading.parametrized_cases import Cases, NoCases, cases
from ingest.drafting.reading.plain_tests import read_tests
from ingest.drafting.reading.reach import Reach
from ingest.drafting.reading.statements import find_effects, flatten
from ingest.drafting.reading.suites import SuiteFile, find_calls
from ingest.drafting.reading.tolerances import Tolerance, allowed
from ingest.drafting.reading.weights import share_weights
from ingest.drafting.writing.assembly import assemble
from ingest.extract.targets import Local


def draft_tests(
    suite: SuiteFile,
    reach: Reach,
    operations: Operations,
    isolator: Isolator,
    best: Mapping[Local, DraftAttempt],
) -> Iterator[DraftAttempt]:
    """Yield the drafts of each test in a file, for operations that have no complete draft yet."""
    for function in read_tests(suite, reach):
        reader = _Reader(suite, function, reach, operations, isolator, best)
        try:
            yield from reader.draft_tests()
        except UNREADABLE as error:
            name = reader.used_operation()
            if name is not None:
                why = str(error) or "it is nested too deeply"
                sentence = f"{function.name} of {suite.path} can't be followed: {why}."
                yield DraftAttempt(name, None, Missing.UNREADABLE, sentence)


LAYERS = re.compile(r"\bnn\.(Linear|Conv\dd|LayerNorm|Embedding)\(")
"""Layers of torch. Another test may compare the launcher alone, without such a layer around it."""
Pair = tuple[ast.expr, ast.expr, TestedEquality]
"""Expected argument, actual argument, and the comparison of the two."""


class _Reader:
    def __init__(
        self,
        suite: SuiteFile,
        function: ast.FunctionDef,
        reach: Reach,
        operations: Operations,
        isolator: Isolator,
        best: Mapping[Local, DraftAttempt],
    ) -> None:
        self._suite, self._function = suite, function
        self._written = function
        self._given: frozenset[str] = frozenset()
        self._conditions: tuple[ast.expr, ...] | None = None
        self._reach, self._operations = reach, operations
        self._isolator, self._best = isolator, best
        self._no_cases = ""
        self._cases: Cases | None = None
        self._weights: set[str] = set()
        self._failed: tuple[Missing, str] | None = None
        self._names = Launching(suite, reach)

    @property
    def _place(self) -> DraftPlace:
        function = self._function
        first = min((d.lineno for d in function.decorator_list), default=function.lineno)
        last = function.end_lineno or function.lineno
        return DraftPlace(self._suite.path, first, last)

    @property
    def _where(self) -> str:
        return f"{self._function.name} of {self._suite.path}"

    def used_operation(self) -> Local | None:
        try:
            return self._operations.nearest(self._names.find_locals(self._function))
        except UNREADABLE:
            return None

    def draft_tests(self) -> Iterator[DraftAttempt]:
        function = self._function
        parameters = frozenset(signature(function.args).names)
        self._names.local = parameters.union(*(stored_names(s) for s in function.body))
        if not self._names.launches(function):
            return
        self._given = parameters
        self._read_cases()
        function, self._weights = share_weights(function, self._names.module_kind)
        self._function = function
        self._names.local |= frozenset().union(*(stored_names(s) for s in function.body))
        if not any(True for _ in self._names.launching(flatten(function.body))):
            return
        groups = [*self._groups()]
        for operation, before, pairs in groups:
            if operation in self._best and self._best[operation].progress == WHOLE:
                continue
            yield self._try(operation, before, pairs)
        if not groups and (self._failed or function.name.startswith("test")):
            yield from self._without_pairs()

    def _read_cases(self, conditions: Sequence[ast.expr] = ()) -> None:
        """Read the cases of the test. Only cases in which all `conditions` are true are kept."""
        if self._conditions == tuple(conditions):
            return
        self._conditions = tuple(conditions)
        function = self._written
        try:
            calls = find_calls(self._suite, function.name)
            self._cases = cases(function, self._suite.evaluator(), calls, conditions)
        except NoCases as error:
            self._cases, self._no_cases = None, str(error)
        self._names.bound = self._cases.bound if self._cases else {}

    def _without_pairs(self) -> Iterator[DraftAttempt]:
        operation = self._operations.nearest(
            local for s in flatten(self._function.body) for local in self._names.launches(s)
        )
        if operation is not None:
            missing, sentence = self._failed or (
                Missing.NO_COMPARISON,
                f"{self._where} compares nothing that a kernel has computed.",
            )
            yield DraftAttempt(operation, None, missing, sentence)

    def _groups(self) -> Iterator[tuple[Local, tuple[ast.stmt, ...], list[Pair]]]:
        """Yield groups of the comparisons whose results come from the same launches."""
        groups: dict[tuple[int, ...], tuple[Local, tuple[ast.stmt, ...], list[Pair]]] = {}
        for comparison in find_comparisons(self._function.body):
            found = self._sides(comparison)
            if found is None:
                continue
            launching, pair = found
            key = tuple(map(id, launching))
            operation = self._operations.nearest(
                local for statement in launching for local in self._names.launches(statement)
            )
            if operation is None:
                continue
            known = groups.get(key)
            pairs = known[2] if known else []
            if not any(ast.dump(pair[1]) == ast.dump(other[1]) for other in pairs):
                pairs.append(pair)
            groups[key] = (operation, comparison.before, pairs)
        for operation, before, pairs in groups.values():
            # Prefer comparisons that are made in every case, and those of complete results.
            always = [pair for pair in pairs if not self._is_left_out(pair[2])]
            whole = [pair for pair in always if not _is_of_a_turn(pair)]
            yield operation, before, whole or always or pairs

    def _is_left_out(self, comparison: TestedEquality) -> bool:
        """Return whether one of a comparison's conditions is false in some case."""
        evaluator = self._suite.evaluator()
        for condition in comparison.conditions:
            for row in self._cases.rows if self._cases else ():
                try:
                    if not evaluator.value(condition, row):
                        return True
                except NotPlain:
                    break
        return False

    def _sides(self, comparison: TestedEquality) -> tuple[list[ast.AST], Pair] | None:
        """Return the launching statements of a comparison and its two arguments. Return None if the
        comparison is not one of a kernel with a reference.
        """
        before = comparison.before
        parts = []
        for argument in (comparison.left, comparison.right):
            inner = peel(argument)
            numbers = find_needed(before, loaded_names(inner), self._names.local)
            if reads_gradient(inner) or self._is_gradient(inner, before, numbers):
                why = f"{self._where} compares gradients and no answer."
                self._failed = self._failed or (Missing.GRADIENTS_ONLY, why)
                return None
            parts.append((inner, numbers))
        nodes = [[*(before[n] for n in sorted(numbers)), inner] for inner, numbers in parts]
        shared = {id(node) for node in nodes[0]} & {id(node) for node in nodes[1]}
        own = ([n for n in side_nodes if id(n) not in shared] for side_nodes in nodes)
        launching = [[n for n in each if self._names.launches(n)] for each in own]
        if all(launching):
            self._failed = (
                Missing.KERNEL_AGAINST_KERNEL,
                f"{self._where} compares one kernel with another.",
            )
            return None
        if not any(launching):
            return None
        ours = 0 if launching[0] else 1
        actual, (expected, needed) = parts[ours][0], parts[1 - ours]
        if isinstance(expected, ast.Constant) or (not needed and not loaded_names(expected)):
            return None
        return launching[ours], (expected, actual, comparison)

    def _is_gradient(self, node: ast.expr, before: Sequence[ast.stmt], numbers: set[int]) -> bool:
        """Return whether a name was bound to the `.grad` of a tensor."""
        if not isinstance(node, ast.Name):
            return False
        for number in sorted(numbers, reverse=True):
            statement = before[number]
            if node.id not in find_effects(statement).binds:
                continue
            value = getattr(statement, "value", None)
            if value is None:
                return False
            return reads_gradient(value) or "autograd.grad" in ast.unparse(value)
        return False

    def _try(
        self, operation: Local, before: tuple[ast.stmt, ...], pairs: Sequence[Pair]
    ) -> DraftAttempt:
        pairs = [pairs[place] for place in order_answers(before, [pair[1] for pair in pairs])]
        whole = cut(
            before,
            [(expected, actual) for expected, actual, *_ in pairs],
            self._names.local,
            lambda statement: bool(self._names.launches(statement)),
            self._given,
        )
        whole = move_copies(whole)
        whole = replace(
            whole, inputs=still_needed(whole.inputs, whole.parameters, self._names.local)
        )
        rule = find_rule(whole, self._suite, self._names.local, self._names.bound)
        turning = frozenset().union(*(comparison.turning for *_, comparison in pairs))
        given = {name for row in (self._cases.rows if self._cases else ()) for name in row}
        if sentence := why_no_reference(whole, turning, given):
            return self._stopped(operation, rule, Missing.NO_COMPARISON, sentence)
        conditions = [
            condition
            for *_, comparison in pairs
            for condition in comparison.conditions
            if self._is_left_out(comparison)
        ]
        self._read_cases(conditions)
        if any(self._names.launches(statement) for statement in whole.inputs):
            return self._stopped(operation, rule, Missing.INPUTS, "A kernel makes its inputs.")
        if self._cases is None:
            return self._stopped(operation, rule, Missing.INPUTS, self._no_cases)
        if whole.uses & {"self", "request"} or not whole.parameters:
            sentence = "Its inputs are not made in the test itself."
            return self._stopped(operation, rule, Missing.INPUTS, sentence)
        if any("data_ptr" in ast.unparse(statement) for statement in whole.inputs):
            sentence = "Its inputs hold addresses of tensors, which are others in each process."
            return self._stopped(operation, rule, Missing.INPUTS, sentence)
        if held := self._names.modules_among(whole):
            why = f"Its inputs would hold a module ({held}), where tensors and plain values go."
            return self._stopped(operation, rule, Missing.INPUTS, why)
        # The next comparison of this test has its own cases.
        self._conditions = None
        test = Test(
            self._suite,
            self._function,
            self._place,
            self._cases,
            frozenset(self._weights),
            self._compared(),
            self._allowed(),
            *describe(self._suite, operation, whole),
        )
        made = assemble(test, whole, rule, entry_point(operation.name), self._isolator)
        weak = all(map(is_degenerate, self._cases.rows))
        weak |= bool(LAYERS.search(made.draft.texts.triton_code))
        return DraftAttempt(operation, made.draft, made.missing, made.sentence, weak)

    def _allowed(self) -> list[Tolerance]:
        """Return the test's tolerance in each case. Tolerances for gradients are included."""
        evaluator = self._suite.evaluator()
        made = list(find_comparisons(self._function.body))
        rows = self._cases.rows if self._cases else ()
        return [allowed(made, evaluator, row) for row in rows]

    def _compared(self) -> list[ast.expr]:
        each = (
            peel(side)
            for comparison in find_comparisons(self._function.body)
            for side in (comparison.left, comparison.right)
        )
        return [side for side in each if isinstance(side, ast.Name)]

    def _stopped(
        self, operation: Local, rule: Rule, missing: Missing, sentence: str
    ) -> DraftAttempt:
        draft = OperationDraft(rule, entry_point(operation.name), self._place, DraftTexts())
        return DraftAttempt(operation, draft, missing, f"{self._where}: {sentence}")


def _is_of_a_turn(pair: Pair) -> bool:
    """Return whether a comparison is of one part of the results, in a loop over all parts."""
    expected, actual, comparison = pair
    return bool((loaded_names(expected) | loaded_names(actual)) & comparison.turning)
