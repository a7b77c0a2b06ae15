"""A cut test becomes the three texts of a draft, each standing alone, or a reason why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.drafting.answers import answer_types
from ingest.drafting.cases import Cases
from ingest.drafting.computing import computes_backward, computes_forward, without_backward
from ingest.drafting.devices import DEVICE
from ingest.drafting.edits import UNREADABLE
from ingest.drafting.naming import dotted
from ingest.drafting.options import without_foreign_options
from ingest.drafting.records import Draft, Missing, Place, Rule, Texts
from ingest.drafting.registering import unregistered
from ingest.drafting.sides import INPUTS, make_inputs, overwritten, side, with_gradient
from ingest.drafting.slices import Cut
from ingest.drafting.standalone import Isolator, Module
from ingest.drafting.statements import effects
from ingest.drafting.suites import Suite
from ingest.drafting.tuning import tightened
from ingest.drafting.values import DTYPES, Dtype
from ingest.drafting.writing import test_code
from ingest.extract.targets import Local

WIDER = re.compile(
    r"\.(float|double)\(\)|\.to\(torch\.float(32|64)?\)|dtype=torch\.float(32|64)?\b"
)
INTEGERS = re.compile(r"\b(randint|randperm|arange|long|bool|u?int\d*)\b")
NARROWER = re.compile(r"\.to\((dtype|\w*dtype\w*|\w+\.dtype)|type_as|dtype=\w*\.?dtype")


@dataclass(frozen=True, slots=True)
class Test:
    """A test whose cases are known, with what it shares as weights and which of the answers it
    widens before it compares them."""

    suite: Suite
    function: ast.FunctionDef
    place: Place
    cases: Cases
    weights: frozenset[str]
    widened: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Made:
    draft: Draft
    missing: Missing | None = None
    sentence: str = ""


def assemble(test: Test, whole: Cut, rule: Rule, entry_point: str, isolator: Isolator) -> Made:
    """With its gradients where the test asks for them and kernels compute them; the forward alone
    where torch does."""
    graded = _graded(test, whole)
    made = _assembled(test, whole, rule, entry_point, isolator, graded)
    if made.missing is not None:
        return made
    where = f"{test.function.name} of {test.suite.path}"
    try:
        if graded and (said := computes_backward(made.draft.texts.triton_code)):
            made = _assembled(test, whole, rule, entry_point, isolator, set())
            made = _forward_alone(made, test, isolator, said)
        said = computes_forward(made.draft.texts.triton_code, entry_point)
    except UNREADABLE as error:
        said = f"what can't be followed ({error})"
    if made.missing is None and said:
        words = f"The Triton side of {where} leaves work to torch: {said}."
        return Made(made.draft, Missing.COMPUTES_IN_TORCH, words)
    return made


def _forward_alone(made: Made, test: Test, isolator: Isolator, why: str) -> Made:
    """Without any `backward`, and without what only that needed."""
    draft = made.draft
    text = without_backward(draft.texts.triton_code)
    module = isolator.isolated(test.suite, text, draft.entry_point)
    if made.missing is not None or module.reasons:
        return made
    texts = replace(draft.texts, triton_code=_settled(module.text))
    note = f"The forward alone: its backward leaves work to torch, {why}."
    return replace(made, draft=replace(draft, texts=texts, notes=(*draft.notes, note)))


def _assembled(
    test: Test,
    whole: Cut,
    rule: Rule,
    entry_point: str,
    isolator: Isolator,
    graded: set[str],
) -> Made:
    bound = test.cases.bound
    takes = [name for name in whole.parameters if name not in {"device", *bound}]
    rows = test.cases.rows
    names = list(dict.fromkeys(name for row in rows for name in row))
    dtypes = [name for name in names if any(isinstance(row.get(name), Dtype) for row in rows)]
    tensors = _tensors(whole)
    head = [f"device = {DEVICE}"] if "device" in whole.parameters else []
    held = [name for name in tensors if name in takes and name not in graded]
    # Where the author asks for no gradient, the reference has none to compare with.
    detached = [f"{name} = {name}.detach()" for name in held] if graded else []
    if graded:
        unsure = [name for name in _answers(whole) if name in takes and name not in graded]
        detached += [
            f"{name} = {name}.detach() if isinstance({name}, torch.Tensor) else {name}"
            for name in unsure
            if name not in held
        ]
    copied = overwritten(whole.candidate, whole.actual, takes)
    triton = side(
        entry_point,
        takes,
        whole.candidate,
        whole.actual,
        bound,
        "The kernel's launcher, called as the author's test calls it.",
        [*head, *(f"{name} = {name}.clone()" for name in copied)],
    )
    launcher = isolator.side(test.suite, triton, entry_point)
    python = side(
        entry_point,
        takes,
        whole.reference,
        _expected(test, whole, takes, answer_types(launcher.text, entry_point)),
        bound,
        "What the author's test compares the kernel with.",
        [*head, *detached],
    )
    inputs = make_inputs(whole.taking(takes), names, dtypes, bound)
    modules = {
        "python_code": isolator.side(test.suite, python, entry_point),
        "test_code": isolator.inputs(test.suite, inputs, INPUTS),
        "triton_code": launcher,
    }
    texts = Texts(
        _tidy(modules["python_code"].text),
        _settled(modules["triton_code"].text),
        _test_code(test, whole, entry_point, modules["test_code"], bool(graded), inputs),
    )
    draft = Draft(
        rule=rule,
        entry_point=entry_point,
        test=test.place,
        texts=texts,
        drawn_from=tuple(sorted({path for m in modules.values() for path in m.drawn_from})),
        differentiable=bool(graded),
        notes=tuple(dict.fromkeys(note for m in modules.values() for note in m.notes)),
    )
    return _judged(draft, modules, f"{test.function.name} of {test.suite.path}")


def _judged(draft: Draft, modules: Mapping[str, Module], where: str) -> Made:
    for key, missing, what in (
        ("python_code", Missing.REFERENCE_NOT_STANDALONE, "The reference"),
        ("test_code", Missing.INPUTS_NOT_STANDALONE, "What makes the inputs"),
        ("triton_code", Missing.TRITON_NOT_STANDALONE, "The Triton side"),
    ):
        reasons = modules[key].reasons
        if reasons:
            said = f"{what} does not stand alone ({where}). {' '.join(reasons)}"
            return Made(draft, missing, said)
    if re.search(r"^(import|from) triton\b", draft.texts.python_code, re.M):
        said = f"The reference of {where} needs Triton itself."
        return Made(draft, Missing.KERNEL_AGAINST_KERNEL, said)
    for text in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
        try:
            ast.parse(text)
        except UNREADABLE as error:
            said = f"What was written from {where} does not parse: {error}."
            return Made(draft, Missing.UNREADABLE, said)
    return Made(draft)


def _test_code(
    test: Test, whole: Cut, entry_point: str, module: Module, differentiable: bool, inputs: str
) -> str:
    used = re.findall(r"case\[[\"'](\w+)[\"']\]", inputs)
    try:
        return test_code(entry_point, module.text, test.cases, _dtype(whole), differentiable, used)
    except UNREADABLE:
        return module.text


def _dtype(whole: Cut) -> str:
    """The floating type that the inputs name, where no case does."""
    for statement in whole.inputs:
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
                    if "float" in DTYPES.get(attr, ""):
                        return DTYPES[attr]
    return "float32"


def _graded(test: Test, whole: Cut) -> set[str]:
    """The parameters whose gradients the test asks for, through their aliases."""
    found: set[str] = set()
    parameters = set(whole.parameters)
    asked = with_gradient(test.function.body)
    for name in asked:
        found |= {name} & parameters
        for statement in (*whole.reference, *whole.candidate):
            if name in effects(statement).binds:
                found |= effects(statement).uses & parameters
    return found | (test.weights & parameters if asked else set())


def _tensors(whole: Cut, *, of_integers: bool = True) -> list[str]:
    """Inputs that torch makes, as far as the text tells: `torch.randn(n)`, and half of it."""
    found: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=targets, value=value):
                while isinstance(value, ast.BinOp):
                    value = value.left
                text = ast.unparse(value)
                root = text.partition("(")[0] if isinstance(value, ast.Call) else ""
                if not root.startswith(("torch.", "F.")) or "Size" in root:
                    continue
                if of_integers or not INTEGERS.search(text):
                    found += [t.id for t in targets if isinstance(t, ast.Name)]
    return found


def _answers(whole: Cut) -> list[str]:
    """Inputs that some function hands back, which may be tensors."""
    found: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                found += [t.id for t in targets if isinstance(t, ast.Name)]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                found.append(name)
    return list(dict.fromkeys(found))


def _expected(test: Test, whole: Cut, takes: Sequence[str], types: Sequence[str]) -> list[ast.expr]:
    """The reference's answers with the launcher's types, where its text fixes them. Otherwise at
    the inputs' own precision where only the test narrows them: that is what most kernels answer
    with."""
    of_floats = _tensors(whole, of_integers=False)
    like = next((f"{name}.dtype" for name in takes if name in of_floats), "")
    texts = [ast.unparse(node) for node in (*whole.reference, *whole.expected)]
    texts += _reference_functions(test, whole)
    widens = any(map(WIDER.search, texts))
    narrows = any(map(NARROWER.search, texts))
    if len(types) != len(whole.expected):
        types = [""] * len(whole.expected)
    answers: list[ast.expr] = []
    for place, (answer, known) in enumerate(zip(whole.expected, types, strict=True)):
        if known and (known.startswith("torch.") or widens or test.widened[place]):
            answers.append(_cast(answer, known))
        elif not known and (test.widened[place] or (place == 0 and widens and not narrows)):
            answers.append(_cast(answer, like))
        else:
            answers.append(answer)
    return answers


def _reference_functions(test: Test, whole: Cut) -> list[str]:
    """The source of the functions that the reference calls by name."""
    found: list[str] = []
    for node in (*whole.reference, *whole.expected):
        for inner in ast.walk(node):
            parts = dotted(inner.func) if isinstance(inner, ast.Call) else None
            if parts is None or parts[0] in test.cases.bound:
                continue
            target = test.suite.meaning(parts)
            if isinstance(target, Local):
                found += test.suite.source_of(target)
    return found


def _cast(answer: ast.expr, dtype: str) -> ast.expr:
    text = ast.unparse(answer)
    if not dtype or text.endswith((f".to({dtype})", f".view({dtype})")):
        return answer
    return ast.parse(f"({text}).to({dtype})", mode="eval").body


def _settled(text: str) -> str:
    return _tidy(tightened(unregistered(without_foreign_options(text))))


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n" if text.strip() else ""
