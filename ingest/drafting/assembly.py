"""Assembly of a cut test into the three standalone texts of a draft, or into a reason why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.drafting.answers import find_answer_types, find_optional_answers
from ingest.drafting.cases import Cases
from ingest.drafting.computing import computes_backward, computes_forward, remove_backward
from ingest.drafting.devices import DEVICE, replace_literal_devices
from ingest.drafting.distributed import remove_distributed
from ingest.drafting.edits import UNREADABLE
from ingest.drafting.logs import remove_logging
from ingest.drafting.masks import join_masks
from ingest.drafting.naming import dotted_name
from ingest.drafting.options import remove_foreign_options
from ingest.drafting.records import Draft, Missing, Place, Rule, Texts
from ingest.drafting.registering import remove_registration
from ingest.drafting.sides import INPUTS, find_graded, find_overwritten, make_inputs, side
from ingest.drafting.slices import Cut, find_side_inputs
from ingest.drafting.standalone import Isolator, Module
from ingest.drafting.statements import find_effects
from ingest.drafting.suites import Suite
from ingest.drafting.tolerances import Tolerance
from ingest.drafting.tuning import choose_configurations, close_gaps
from ingest.drafting.values import DTYPES, Dtype
from ingest.drafting.writing import test_code
from ingest.extract.targets import Local

WIDER = re.compile(
    r"\.(float|double)\(\)|\.to\(torch\.float(32|64)?\)|dtype=torch\.float(32|64)?\b"
)
INTEGERS = re.compile(r"\b(randint|randperm|arange|long|bool|u?int\d*)\b")
OF_A_LIBRARY = re.compile(r"\btorch\.ops\.(?!aten\b|prims\b)\w+\.\w+")
STANDING = {
    "python_code": (Missing.REFERENCE_NOT_STANDALONE, "The reference"),
    "test_code": (Missing.INPUTS_NOT_STANDALONE, "What makes the inputs"),
    "triton_code": (Missing.TRITON_NOT_STANDALONE, "The Triton side"),
}
NARROWER = re.compile(r"\.to\((dtype|\w*dtype\w*|\w+\.dtype)|type_as|dtype=\w*\.?dtype")


@dataclass(frozen=True, slots=True)
class Test:
    """A test with its cases. `weights` are the inputs that two modules share; `widened` tells which
    answers the test converts to a wider dtype before it compares them.
    """

    suite: Suite
    function: ast.FunctionDef
    place: Place
    cases: Cases
    weights: frozenset[str]
    widened: Sequence[bool]
    compared: Sequence[ast.expr] = ()
    """The names that the test compares, gradients excluded."""
    allowed: Sequence[Tolerance] = ()
    """The tolerance of the test's comparisons in each case."""


@dataclass(frozen=True, slots=True)
class Assembly:
    draft: Draft
    missing: Missing | None = None
    sentence: str = ""


def assemble(test: Test, whole: Cut, rule: Rule, entry_point: str, isolator: Isolator) -> Assembly:
    """Assemble a draft.

    The draft has gradients if the test compares them and kernels compute them. If torch computes
    them, the draft is the forward pass alone.
    """
    graded = _graded_inputs(test, whole)
    made = _assembled(test, whole, rule, entry_point, isolator, graded)
    if made.missing is not None:
        return made
    where = f"{test.function.name} of {test.suite.path}"
    try:
        if graded and (sentence := computes_backward(made.draft.texts.triton_code)):
            made = _assembled(test, whole, rule, entry_point, isolator, set())
            made = _forward_alone(made, test, isolator, sentence)
        sentence = computes_forward(made.draft.texts.triton_code, entry_point)
    except UNREADABLE as error:
        sentence = f"what can't be followed ({error})"
    if made.missing is None and sentence:
        words = f"The Triton side of {where} leaves work to torch: {sentence}."
        return Assembly(made.draft, Missing.COMPUTES_IN_TORCH, words)
    return made


def _forward_alone(made: Assembly, test: Test, isolator: Isolator, why: str) -> Assembly:
    """Remove every `backward`, and the code that only they needed."""
    draft = made.draft
    text = remove_backward(draft.texts.triton_code)
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
) -> Assembly:
    bound = test.cases.bound
    takes = [name for name in whole.parameters if name not in {"device", *bound}]
    rows = test.cases.rows
    names = list(dict.fromkeys(name for row in rows for name in row))
    dtypes = [name for name in names if any(isinstance(row.get(name), Dtype) for row in rows)]
    head = [f"device = {DEVICE}"] if "device" in whole.parameters else []
    detached = _detached(whole, takes, graded)
    compared = [*whole.actual, *test.compared]
    copied = find_overwritten(whole.candidate, compared, takes)
    triton = side(
        entry_point,
        takes,
        whole.candidate,
        whole.actual,
        bound,
        "Call the kernel's launcher as its author's test does.",
        [
            *head,
            *_unset(whole, whole.candidate, whole.actual),
            *detached,
            *(f"{name} = {name}.clone()" for name in copied),
        ],
    )
    launcher = isolator.side(test.suite, triton, entry_point)
    launcher = _of_plain_tensors(launcher, test, isolator, entry_point)
    python = side(
        entry_point,
        takes,
        whole.reference,
        _expected(test, whole, takes, launcher.text, entry_point),
        bound,
        "Compute what the author's test expects of the kernel.",
        [*head, *_unset(whole, whole.reference, whole.expected), *detached],
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


def _of_plain_tensors(module: Module, test: Test, isolator: Isolator, name: str) -> Module:
    """Remove the launcher's log and its branches for distributed tensors, with the code that only
    they needed. Let it allocate on the machine's device.
    """
    text = remove_logging(remove_distributed(module.text))
    try:
        text = replace_literal_devices(text)
    except UNREADABLE:
        return module
    if text == module.text:
        return module
    again = isolator.isolated(test.suite, text, name)
    if again.reasons:
        return module
    return replace(again, drawn_from=module.drawn_from, notes=module.notes)


def _detached(whole: Cut, takes: Sequence[str], graded: set[str]) -> list[str]:
    """Return lines that detach the inputs whose gradients the author does not compare. Some
    launchers refuse to compute these gradients, and the reference would have gradients that the
    launcher lacks.
    """
    if not graded:
        return []
    others = [name for name in takes if name not in graded]
    tensors = set(_tensors(whole))
    unsure = set(_answers(whole)) - tensors
    return [
        f"{name} = {name}.detach()"
        if name in tensors
        else f"{name} = {name}.detach() if isinstance({name}, torch.Tensor) else {name}"
        for name in others
        if name in tensors | unsure
    ]


def _unset(whole: Cut, side: Sequence[ast.stmt], results: Sequence[ast.expr]) -> list[str]:
    """Return lines that set names to None which only some branch of a side binds."""
    read = find_side_inputs(side, results)
    return [f"{name} = None" for name in whole.unset if name in read]


def _judged(draft: Draft, modules: Mapping[str, Module], where: str) -> Assembly:
    for key, (missing, what) in STANDING.items():
        reasons = modules[key].reasons
        if reasons:
            sentence = f"{what} does not stand alone ({where}). {' '.join(reasons)}"
            return Assembly(draft, missing, sentence)
    for key in ("python_code", "triton_code"):
        found = OF_A_LIBRARY.search(getattr(draft.texts, key))
        if found:
            missing, what = STANDING[key]
            sentence = f"{what} needs {found[0]}, which a library registers ({where})."
            return Assembly(draft, missing, sentence)
    if re.search(r"^(import|from) triton\b", draft.texts.python_code, re.M):
        sentence = f"The reference of {where} needs Triton itself."
        return Assembly(draft, Missing.KERNEL_AGAINST_KERNEL, sentence)
    for text in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
        try:
            ast.parse(text)
        except UNREADABLE as error:
            sentence = f"What was written from {where} does not parse: {error}."
            return Assembly(draft, Missing.UNREADABLE, sentence)
    return Assembly(draft)


def _test_code(
    test: Test, whole: Cut, entry_point: str, module: Module, differentiable: bool, inputs: str
) -> str:
    used = re.findall(r"case\[[\"'](\w+)[\"']\]", inputs)
    try:
        return test_code(
            entry_point,
            module.text,
            test.cases,
            _dtype(whole),
            differentiable,
            used,
            test.allowed,
        )
    except UNREADABLE:
        return module.text


def _dtype(whole: Cut) -> str:
    """Return the floating dtype that the inputs name, for tests whose cases name none."""
    for statement in whole.inputs:
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="torch"), attr=attr):
                    if "float" in DTYPES.get(attr, ""):
                        return DTYPES[attr]
    return "float32"


def _graded_inputs(test: Test, whole: Cut) -> set[str]:
    """Return the parameters whose gradients the test compares, directly or through copies."""
    graded: set[str] = set()
    parameters = set(whole.parameters)
    names = find_graded(test.function.body)
    for name in names:
        graded |= {name} & parameters
        for statement in (*whole.reference, *whole.candidate):
            if name in find_effects(statement).binds:
                graded |= find_effects(statement).uses & parameters
    return graded | (test.weights & parameters if names else set())


def _tensors(whole: Cut, *, of_integers: bool = True) -> list[str]:
    """Return the inputs that are certainly tensors: `torch.randn(n)`, or half of that."""
    tensors: list[str] = []
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
                    tensors += [t.id for t in targets if isinstance(t, ast.Name)]
    return tensors


def _answers(whole: Cut) -> list[str]:
    """Return the inputs that are results of a function, which may be tensors."""
    results: list[str] = []
    for statement in whole.inputs:
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call()):
                results += [t.id for t in targets if isinstance(t, ast.Name)]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                results.append(name)
    return list(dict.fromkeys(results))


def _expected(
    test: Test, whole: Cut, takes: Sequence[str], launcher: str, entry_point: str
) -> list[ast.expr]:
    """Return the reference's answers, converted to the launcher's dtypes if these are known.

    If they are unknown and the test widens the answers, they get the dtype of the inputs: most
    kernels answer with it.
    """
    of_floats = _tensors(whole, of_integers=False)
    like = next((f"{name}.dtype" for name in takes if name in of_floats), "")
    texts = [ast.unparse(node) for node in (*whole.reference, *whole.expected)]
    texts += _reference_functions(test, whole)
    widens = any(map(WIDER.search, texts))
    narrows = any(map(NARROWER.search, texts))
    types = find_answer_types(launcher, entry_point)
    optional = find_optional_answers(launcher, entry_point)
    if len(types) != len(whole.expected):
        types = [""] * len(whole.expected)
        optional = [False] * len(whole.expected)
    answers: list[ast.expr] = []
    for place, (answer, known) in enumerate(zip(whole.expected, types, strict=True)):
        cast = answer
        if known and (known.startswith("torch.") or widens or test.widened[place]):
            cast = _cast(answer, known)
        elif not known and (test.widened[place] or (place == 0 and widens and not narrows)):
            cast = _cast(answer, like)
        if cast is not answer and optional[place] and isinstance(answer, ast.Name):
            cast = ast.parse(
                f"None if {answer.id} is None else {ast.unparse(cast)}", mode="eval"
            ).body
        answers.append(cast)
    return answers


def _reference_functions(test: Test, whole: Cut) -> list[str]:
    """Return the sources of the functions that the reference calls by name."""
    sources: list[str] = []
    for node in (*whole.reference, *whole.expected):
        for inner in ast.walk(node):
            parts = dotted_name(inner.func) if isinstance(inner, ast.Call) else None
            if parts is None or parts[0] in test.cases.bound:
                continue
            target = test.suite.meaning(parts)
            if isinstance(target, Local):
                sources += test.suite.source_of(target)
    return sources


def _cast(answer: ast.expr, dtype: str) -> ast.expr:
    text = ast.unparse(answer)
    if not dtype or text.endswith((f".to({dtype})", f".view({dtype})")):
        return answer
    return ast.parse(f"({text}).to({dtype})", mode="eval").body


def _settled(text: str) -> str:
    text = remove_registration(remove_foreign_options(text))
    return _tidy(join_masks(choose_configurations(close_gaps(text))))


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n" if text.strip() else ""
