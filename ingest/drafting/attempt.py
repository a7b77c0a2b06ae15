"""One test, tried as the source of a draft: which operation it compares, with what, and how far
that leads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.drafting.assembly import Test, assemble
from ingest.drafting.cases import Cases, NoCases, cases
from ingest.drafting.comparisons import Comparison, about_gradients, comparisons, peeled
from ingest.drafting.edits import UNREADABLE
from ingest.drafting.inlining import inlined
from ingest.drafting.naming import dotted, entry_point
from ingest.drafting.operations import Operations
from ingest.drafting.reach import Reach
from ingest.drafting.records import Draft, Missing, Place, Rule, Texts
from ingest.drafting.slices import Cut, cut, needed
from ingest.drafting.standalone import Isolator
from ingest.drafting.statements import effects, flat, loads, stores
from ingest.drafting.suites import Suite, called_for_effect, calls_of, functions
from ingest.drafting.weights import constructing, with_weights
from ingest.extract.targets import External, Local

REFERENCE = re.compile(r"(^|_)(naive|ref|reference|torch|pytorch|native|eager|golden|gold|baseline"
                       r"|expected|py|pt|slow|simple|vanilla|manual|base)(_|$)", re.I)  # fmt: skip
WHOLE = 1000


@dataclass(frozen=True, slots=True)
class Attempt:
    operation: Local
    draft: Draft | None
    missing: Missing | None = None
    sentence: str = ""

    @property
    def progress(self) -> int:
        if self.missing is not None:
            return self.missing.progress
        # A function that isn't called a reference is the least certain to be one.
        unsure = self.draft is not None and self.draft.rule is Rule.OTHER_FUNCTION
        return WHOLE - unsure


def attempts(
    suite: Suite,
    reach: Reach,
    operations: Operations,
    isolator: Isolator,
    best: Mapping[Local, Attempt],
) -> Iterator[Attempt]:
    """What each test of a file amounts to, for operations that have no whole draft yet."""
    helpers = called_for_effect(suite)
    for written in functions(suite):
        if not written.name.startswith("test") and written.name in helpers:
            # Its callers are tests, and it is part of them.
            continue
        function = inlined(written, suite.lookup)
        reader = _Reader(suite, function, reach, operations, isolator, best)
        try:
            yield from reader.attempts()
        except UNREADABLE as error:
            name = reader.used_operation()
            if name is not None:
                why = str(error) or "it is nested too deeply"
                said = f"{function.name} of {suite.path} can't be followed: {why}."
                yield Attempt(name, None, Missing.UNREADABLE, said)


Pair = tuple[ast.expr, ast.expr, bool]
"""Expected, actual, and whether the answer was widened to be compared."""


class _Reader:
    def __init__(
        self,
        suite: Suite,
        function: ast.FunctionDef,
        reach: Reach,
        operations: Operations,
        isolator: Isolator,
        best: Mapping[Local, Attempt],
    ) -> None:
        self._suite, self._function = suite, function
        self._reach, self._operations = reach, operations
        self._isolator, self._best = isolator, best
        self._launched: dict[int, tuple[Local, ...]] = {}
        self._no_cases = ""
        self._cases: Cases | None = None
        self._weights: set[str] = set()
        self._failed: tuple[Missing, str] | None = None
        self._local: frozenset[str] = frozenset()

    @property
    def _place(self) -> Place:
        first = min(
            (d.lineno for d in self._function.decorator_list), default=self._function.lineno
        )
        last = self._function.end_lineno or self._function.lineno
        return Place(self._suite.path, first, last)

    @property
    def _said(self) -> str:
        return f"{self._function.name} of {self._suite.path}"

    def used_operation(self) -> Local | None:
        try:
            return self._operations.nearest(self._locals(self._function))
        except UNREADABLE:
            return None

    def attempts(self) -> Iterator[Attempt]:
        function = self._function
        a = function.args
        parameters = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
        self._local = frozenset(parameters).union(*(stores(s) for s in function.body))
        if not self._launches(function):
            return
        try:
            calls = calls_of(self._suite, function.name)
            self._cases = cases(function, self._suite.evaluator(), calls)
        except NoCases as error:
            self._no_cases = str(error)
        function, self._weights = with_weights(function, self._module_kind)
        self._function = function
        self._local |= frozenset().union(*(stores(s) for s in function.body))
        if not any(True for _ in self._launching(flat(function.body))):
            return
        seen = False
        for operation, before, pairs in self._groups():
            seen = True
            if operation in self._best and self._best[operation].progress == WHOLE:
                continue
            yield self._try(operation, before, pairs)
        if not seen and (self._failed or function.name.startswith("test")):
            yield from self._without_pairs()

    def _module_kind(self, call: ast.expr) -> str | None:
        """`kernel` or `torch` for the construction of a module, None for anything else."""
        parts = dotted(call.func) if isinstance(call, ast.Call) else None
        if parts is None or (parts[0] in self._local and not self._bound(parts[0])):
            return None
        parts = tuple((self._bound(parts[0]) or parts[0]).split(".")) + parts[1:]
        if not parts[-1][:1].isupper():
            return None
        target = self._suite.meaning(parts)
        if isinstance(target, Local):
            return "kernel" if self._reach.launches(target) else "torch"
        return (
            "torch" if isinstance(target, External) and target.module.startswith("torch") else None
        )

    def _without_pairs(self) -> Iterator[Attempt]:
        operation = self._operations.nearest(
            local for s in flat(self._function.body) for local in self._launches(s)
        )
        if operation is not None:
            missing, sentence = self._failed or (
                Missing.NO_COMPARISON,
                f"{self._said} compares nothing that a kernel has computed.",
            )
            yield Attempt(operation, None, missing, sentence)

    def _groups(self) -> Iterator[tuple[Local, tuple[ast.stmt, ...], list[Pair]]]:
        """Comparisons of answers of the same launches belong together."""
        groups: dict[tuple[int, ...], tuple[Local, tuple[ast.stmt, ...], list[Pair]]] = {}
        for comparison in comparisons(self._function.body):
            found = self._sides(comparison)
            if found is None:
                continue
            launching, pair = found
            key = tuple(map(id, launching))
            operation = self._operations.nearest(
                local for statement in launching for local in self._launches(statement)
            )
            if operation is None:
                continue
            known = groups.get(key)
            pairs = known[2] if known else []
            if not any(ast.dump(pair[1]) == ast.dump(other[1]) for other in pairs):
                pairs.append(pair)
            groups[key] = (operation, comparison.before, pairs)
        yield from groups.values()

    def _sides(self, comparison: Comparison) -> tuple[list[ast.AST], Pair] | None:
        """Which argument comes from a kernel; None where that leads nowhere."""
        before = comparison.before
        parts = []
        for argument in (comparison.left, comparison.right):
            inner, widened = peeled(argument)
            numbers = needed(before, loads(inner), self._local)
            if about_gradients(inner) or self._is_gradient(inner, before, numbers):
                self._failed = self._failed or (
                    Missing.GRADIENTS_ONLY,
                    f"{self._said} compares gradients and no answer.",
                )
                return None
            parts.append((inner, widened, numbers))
        nodes = [[*(before[n] for n in sorted(numbers)), inner] for inner, _, numbers in parts]
        shared = {id(node) for node in nodes[0]} & {id(node) for node in nodes[1]}
        launching = [
            [n for n in side_nodes if id(n) not in shared and self._launches(n)]
            for side_nodes in nodes
        ]
        if all(launching):
            self._failed = (
                Missing.KERNEL_AGAINST_KERNEL,
                f"{self._said} compares one kernel with another.",
            )
            return None
        if not any(launching):
            return None
        ours = 0 if launching[0] else 1
        actual, widened, _ = parts[ours]
        expected = parts[1 - ours][0]
        if isinstance(expected, ast.Constant) or (not parts[1 - ours][2] and not loads(expected)):
            return None
        return launching[ours], (expected, actual, widened)

    def _is_gradient(self, node: ast.expr, before: Sequence[ast.stmt], numbers: set[int]) -> bool:
        """Whether a name was bound to somebody's `.grad`."""
        if not isinstance(node, ast.Name):
            return False
        for number in sorted(numbers, reverse=True):
            statement = before[number]
            if node.id not in effects(statement).binds:
                continue
            value = getattr(statement, "value", None)
            if value is None:
                return False
            return about_gradients(value) or "autograd.grad" in ast.unparse(value)
        return False

    def _launching(self, statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        return (statement for statement in statements if self._launches(statement))

    def _launches(self, node: ast.AST) -> tuple[Local, ...]:
        """The repository's names in a statement that lead to a kernel."""
        if id(node) not in self._launched:
            found = [local for local in self._locals(node) if self._reach.launches(local)]
            self._launched[id(node)] = tuple(found)
        return self._launched[id(node)]

    def _locals(self, node: ast.AST) -> Iterator[Local]:
        bound = self._cases.bound if self._cases else {}
        for inner in ast.walk(node):
            parts = dotted(inner)
            if parts is None:
                continue
            if parts[0] in bound:
                meant = dotted(ast.parse(bound[parts[0]], mode="eval").body)
                parts = (*meant, *parts[1:]) if meant else parts
            elif parts[0] in self._local:
                continue
            target = self._suite.meaning(parts)
            if isinstance(target, Local):
                yield target

    def _try(
        self, operation: Local, before: tuple[ast.stmt, ...], pairs: Sequence[Pair]
    ) -> Attempt:
        whole = cut(
            before,
            [(expected, actual) for expected, actual, _ in pairs],
            self._local,
            lambda statement: bool(self._launches(statement)),
        )
        rule = self._rule(whole)
        if any(self._launches(statement) for statement in whole.inputs):
            return self._stopped(operation, rule, Missing.INPUTS, "A kernel makes its inputs.")
        if self._cases is None:
            return self._stopped(operation, rule, Missing.INPUTS, self._no_cases)
        if whole.uses & {"self", "request"} or not whole.parameters:
            said = "Its inputs are not made in the test itself."
            return self._stopped(operation, rule, Missing.INPUTS, said)
        if held := self._modules_among(whole):
            said = f"Its inputs would hold a module ({held}), where tensors and plain values go."
            return self._stopped(operation, rule, Missing.INPUTS, said)
        test = Test(
            self._suite,
            self._function,
            self._place,
            self._cases,
            frozenset(self._weights),
            [widened for *_, widened in pairs],
        )
        made = assemble(test, whole, rule, entry_point(operation.name), self._isolator)
        return Attempt(operation, made.draft, made.missing, made.sentence)

    def _modules_among(self, whole: Cut) -> str:
        """A parameter that both sides would share, and that the inputs construct as a module."""
        for statement in whole.inputs:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                    if name in whole.parameters and self._module_kind(constructing(call)):
                        return name
        return ""

    def _rule(self, whole: Cut) -> Rule:
        named: list[str] = []
        other: list[str] = []
        torch_calls, classes = 0, False
        for node in (*whole.reference, *whole.expected):
            for inner in ast.walk(node):
                if not isinstance(inner, ast.Call):
                    continue
                parts = dotted(inner.func)
                if parts is None or (parts[0] in self._local and not self._bound(parts[0])):
                    continue
                meant = self._bound(parts[0]) or ".".join(parts)
                target = self._suite.meaning(tuple(meant.split(".")))
                if isinstance(target, External):
                    torch_calls += target.module.startswith("torch")
                    classes |= bool(re.match(r"(torch\.)?nn\.[A-Z]", meant))
                elif isinstance(target, Local):
                    last = meant.rpartition(".")[2]
                    classes |= last[:1].isupper()
                    (named if REFERENCE.search(last) else other).append(last)
        if classes:
            return Rule.MODULE
        if named:
            return Rule.NAMED_FUNCTION
        if other:
            return Rule.OTHER_FUNCTION
        return Rule.TORCH_OPERATION if torch_calls == 1 else Rule.EXPRESSION

    def _bound(self, name: str) -> str:
        return self._cases.bound.get(name, "") if self._cases else ""

    def _stopped(self, operation: Local, rule: Rule, missing: Missing, said: str) -> Attempt:
        draft = Draft(rule, entry_point(operation.name), self._place, Texts())
        return Attempt(operation, draft, missing, f"{self._said}: {said}")
