"""One test, tried as the source of a draft: which operation it compares, with what, and how far
that leads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.drafting.cases import Cases, NoCases, cases
from ingest.drafting.comparisons import Comparison, about_gradients, comparisons, peeled
from ingest.drafting.inlining import inlined
from ingest.drafting.operations import Operations
from ingest.drafting.reach import Reach
from ingest.drafting.records import Draft, Missing, Place, Rule, Texts
from ingest.drafting.sides import make_inputs, side, with_gradient
from ingest.drafting.slices import Cut, cut, needed
from ingest.drafting.standalone import DEVICE, Isolator, Module
from ingest.drafting.statements import effects, flat, loads, stores
from ingest.drafting.suites import UNREADABLE, Suite, called_for_effect, functions
from ingest.drafting.tuning import with_one_configuration
from ingest.drafting.values import DTYPES, Dtype
from ingest.drafting.weights import with_weights
from ingest.drafting.writing import test_code
from ingest.extract.resolve import External, Local

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
        return WHOLE if self.missing is None else self.missing.progress


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
                said = f"{function.name} of {suite.path} can't be followed: {error or 'too deep'}."
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
        first = min((d.lineno for d in self._function.decorator_list), default=self._function.lineno)
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
            self._cases = cases(function, self._suite.evaluator())
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
            if operation in self._best and self._best[operation].missing is None:
                continue
            yield self._try(operation, before, pairs)
        if not seen and (self._failed or function.name.startswith("test")):
            yield from self._without_pairs()

    def _module_kind(self, call: ast.expr) -> str | None:
        """`kernel` or `torch` for the construction of a module, None for anything else."""
        parts = _dotted(call.func) if isinstance(call, ast.Call) else None
        if parts is None or (parts[0] in self._local and not self._bound(parts[0])):
            return None
        parts = tuple((self._bound(parts[0]) or parts[0]).split(".")) + parts[1:]
        if not parts[-1][:1].isupper():
            return None
        target = self._suite.meaning(parts)
        if isinstance(target, Local):
            return "kernel" if self._reach.launches(target) else "torch"
        return "torch" if isinstance(target, External) and target.module.startswith("torch") else None

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
        nodes = [
            [*(before[n] for n in sorted(numbers)), inner] for inner, _, numbers in parts
        ]
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
        if isinstance(expected, ast.Constant) or not parts[1 - ours][2] and not loads(expected):
            return None
        return launching[ours], (expected, actual, widened)

    def _is_gradient(
        self, node: ast.expr, before: Sequence[ast.stmt], numbers: set[int]
    ) -> bool:
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
            parts = _dotted(inner)
            if parts is None:
                continue
            if parts[0] in bound:
                meant = _dotted(ast.parse(bound[parts[0]], mode="eval").body)
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
        unknown = (loads_of(whole) & {"self", "request"}) or not whole.parameters
        if unknown:
            said = "Its inputs are not made in the test itself."
            return self._stopped(operation, rule, Missing.INPUTS, said)
        return self._written(operation, rule, whole, pairs, self._cases)

    def _written(
        self, operation: Local, rule: Rule, whole: Cut, pairs: Sequence[Pair], known: Cases
    ) -> Attempt:
        entry_point = f"run_{snake(operation.name)}"
        takes = [name for name in whole.parameters if name not in {"device", *known.bound}]
        names = list(dict.fromkeys(name for row in known.rows for name in row))
        dtypes = [n for n in names if any(isinstance(row[n], Dtype) for row in known.rows)]
        graded = self._graded(whole)
        head = [f"device = {DEVICE}"] if "device" in whole.parameters else []
        used = Cut(whole.inputs, whole.reference, whole.candidate, whole.expected, whole.actual,
                   tuple(takes))  # fmt: skip
        held = [n for n in self._tensors(whole) if n in takes and n not in graded]
        detached = [f"{name} = {name}.detach()" for name in held] if graded else []
        expected = [
            _narrowed(e, takes, widened or self._widens(whole), self._tensors(whole))
            for e, _, widened in pairs
        ]
        python = side(
            entry_point, takes, whole.reference, expected, known.bound,
            "What the author's test compares the kernel with.", [*head, *detached],
        )  # fmt: skip
        triton = side(
            entry_point, takes, whole.candidate, whole.actual, known.bound,
            "The kernel's launcher, called as the author's test calls it.", head,
        )  # fmt: skip
        inputs = make_inputs(used, names, dtypes, known.bound)
        modules = {
            "triton_code": self._isolator.module(
                self._suite, triton, entry_point, keeps_device=True
            ),
            "python_code": self._isolator.module(
                self._suite, python, entry_point, keeps_device=True
            ),
            "test_code": self._isolator.module(
                self._suite, inputs, "make_inputs", keeps_device=False
            ),
        }
        one = with_one_configuration(modules["triton_code"].text)
        draft = Draft(
            rule=rule,
            entry_point=entry_point,
            test=self._place,
            texts=Texts(
                _tidy(modules["python_code"].text),
                _tidy(one),
                self._test(entry_point, modules["test_code"], known, whole, bool(graded), inputs),
            ),
            drawn_from=tuple(sorted({p for m in modules.values() for p in m.drawn_from})),
            differentiable=bool(graded),
            notes=tuple(dict.fromkeys(n for m in modules.values() for n in m.notes)),
        )
        return self._judged(operation, draft, modules)

    def _judged(self, operation: Local, draft: Draft, modules: Mapping[str, Module]) -> Attempt:
        for key, missing, what in (
            ("python_code", Missing.REFERENCE_NOT_STANDALONE, "The reference"),
            ("test_code", Missing.INPUTS_NOT_STANDALONE, "What makes the inputs"),
            ("triton_code", Missing.TRITON_NOT_STANDALONE, "The Triton side"),
        ):
            reasons = modules[key].reasons
            if reasons:
                said = f"{what} does not stand alone ({self._said}). {' '.join(reasons)}"
                return Attempt(operation, draft, missing, said)
        if re.search(r"^import triton|^from triton", draft.texts.python_code, re.M):
            said = f"The reference of {self._said} needs Triton itself."
            return Attempt(operation, draft, Missing.KERNEL_AGAINST_KERNEL, said)
        for text in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
            try:
                ast.parse(text)
            except UNREADABLE as error:
                said = f"What was written from {self._said} does not parse: {error}."
                return Attempt(operation, draft, Missing.UNREADABLE, said)
        return Attempt(operation, draft)

    def _test(
        self,
        entry_point: str,
        module: Module,
        known: Cases,
        whole: Cut,
        differentiable: bool,
        inputs: str,
    ) -> str:
        used = re.findall(r'case\["(\w+)"\]', inputs)
        try:
            return test_code(
                entry_point, module.text, known, self._dtype(whole), differentiable, used
            )
        except UNREADABLE:
            return module.text

    def _dtype(self, whole: Cut) -> str:
        for statement in whole.inputs:
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if node.value.id == "torch" and "float" in DTYPES.get(node.attr, ""):
                        return DTYPES[node.attr]
        return "float32"

    def _graded(self, whole: Cut) -> set[str]:
        """The parameters whose gradients the test asks for, through their aliases."""
        found: set[str] = set()
        asked = with_gradient(self._function.body)
        sides = (*whole.reference, *whole.candidate)
        for name in asked:
            if name in whole.parameters:
                found.add(name)
            for statement in sides:
                if name in effects(statement).binds:
                    found |= effects(statement).uses & set(whole.parameters)
        return found | (self._weights & set(whole.parameters) if asked else set())

    def _tensors(self, whole: Cut) -> list[str]:
        """Names that inputs are made for by torch, as far as the text tells."""
        found: list[str] = []
        for statement in whole.inputs:
            value = getattr(statement, "value", None)
            if isinstance(value, ast.Call) and isinstance(statement, ast.Assign):
                root = ast.unparse(value).partition("(")[0]
                if root.startswith(("torch.", "F.")) and "Size" not in root:
                    found += [t.id for t in statement.targets if isinstance(t, ast.Name)]
        return found

    def _widens(self, whole: Cut) -> bool:
        """Whether the reference computes more precisely than its inputs are, and leaves it so."""
        texts = [ast.unparse(node) for node in (*whole.reference, *whole.expected)]
        if not texts:
            return False
        wide = any(
            re.search(r"\.(float|double)\(\)|\.to\(torch\.float(32|64)?\)", t) for t in texts
        )
        narrows = any(re.search(r"\.to\((dtype|\w+\.dtype)|dtype=|type_as", t) for t in texts)
        return wide and not narrows

    def _rule(self, whole: Cut) -> Rule:
        named, other, torch_calls, classes = [], [], 0, False
        for node in (*whole.reference, *whole.expected):
            for inner in ast.walk(node):
                if not isinstance(inner, ast.Call):
                    continue
                parts = _dotted(inner.func)
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
        draft = Draft(rule, f"run_{snake(operation.name)}", self._place, Texts())
        return Attempt(operation, draft, missing, f"{self._said}: {said}")


def loads_of(whole: Cut) -> frozenset[str]:
    nodes = (*whole.inputs, *whole.reference, *whole.candidate, *whole.expected, *whole.actual)
    return frozenset().union(*(loads(node) for node in nodes))


def snake(name: str) -> str:
    """`LigerRMSNormFunction` as `liger_rms_norm`."""
    name = re.sub(r"(Function|Func|Fn|Autograd)$", "", name.strip("_")) or name
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"_+", "_", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)).lower().strip("_")


def _dotted(node: ast.AST) -> tuple[str, ...] | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(parts))


def _narrowed(
    expected: ast.expr, takes: Sequence[str], widened: bool, tensors: Sequence[str]
) -> ast.expr:
    """The answer at the inputs' own precision, which is what the kernel answers with."""
    like = next((name for name in takes if name in tensors), None)
    if not widened or like is None:
        return expected
    return ast.parse(f"({ast.unparse(expected)}).to({like}.dtype)", mode="eval").body


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n" if text.strip() else ""
