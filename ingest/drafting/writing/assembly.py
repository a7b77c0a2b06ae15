"""Assembly of a cut test into the three standalone texts of a draft, or a reason why it fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curation.source.functions import stored_names
from curation.source.text import UNREADABLE
from ingest.drafting.cutting.compared import Test, find_floats, find_tensors, inputs_dtype
from ingest.drafting.cutting.slices import Cut, find_plain_names, find_side_inputs, still_needed
from ingest.drafting.isolating.devices import DEVICE, replace_literal_devices, use_devices_of_inputs
from ingest.drafting.isolating.einops_calls import write_einops
from ingest.drafting.isolating.judging import find_fault
from ingest.drafting.isolating.masks import join_masks, replace_raises
from ingest.drafting.isolating.seeding import seed_helpers
from ingest.drafting.isolating.standalone import Isolator, StandaloneModule
from ingest.drafting.isolating.tuning import close_gaps
from ingest.drafting.isolating.unwanted import remove_foreign_options, remove_logging
from ingest.drafting.outcomes import DraftTexts, Missing, OperationDraft, Rule
from ingest.drafting.reading.statements import find_effects
from ingest.drafting.writing.drawn_weights import draw_weights
from ingest.drafting.writing.sides import (
    INPUTS,
    copied_value,
    find_graded,
    find_overwritten,
    make_inputs,
    side,
)
from ingest.drafting.writing.test_template import test_code


@dataclass(frozen=True, slots=True)
class Assembly:
    draft: OperationDraft
    missing: Missing | None = None
    sentence: str = ""


def assemble(test: Test, whole: Cut, rule: Rule, entry_point: str, isolator: Isolator) -> Assembly:
    """Assemble a draft. `entry_point` is a name that no text of the repository contains.

    The draft has gradients if the test compares them. It then also contains the draft of the
    forward pass alone, for launchers whose backward pass leaves work to torch.
    """
    graded = _graded_inputs(test, whole)
    made = _assembled(test, whole, rule, entry_point, isolator, graded)
    if made.missing is not None:
        return made
    draft = _in_plain_words(made.draft)
    if graded:
        alone = _assembled(test, whole, rule, entry_point, isolator, set())
        if alone.missing is None:
            draft = replace(draft, forward=_in_plain_words(alone.draft))
    return Assembly(draft)


def _in_plain_words(draft: OperationDraft) -> OperationDraft:
    """Return the draft written with torch's own operations, and with random weights as inputs."""
    python, triton = (
        use_devices_of_inputs(write_einops(text))
        for text in (draft.texts.python_code, draft.texts.triton_code)
    )
    made = draw_weights(python, triton, draft.texts.test_code, draft.entry_point)
    return replace(draft, texts=DraftTexts(python, triton, made))


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
    plain = find_plain_names(whole.inputs) | {*names}
    compared = [*whole.actual, *test.compared]
    copied = [
        name for name in find_overwritten(whole.candidate, compared, takes) if name not in plain
    ]
    buffers = find_overwritten(
        whole.reference, whole.expected, [name for name in takes if name not in plain]
    )
    tensors = find_tensors(whole)
    device = next((f"{name}.device" for name in takes if name in tensors), DEVICE)
    written = {**bound, "device": device} if "device" in whole.parameters else bound
    triton = side(
        entry_point,
        takes,
        whole.candidate,
        whole.actual,
        written,
        device,
        test.docstring,
        [
            *_unset(whole, whole.candidate, whole.actual),
            *(f"{name} = {copied_value(name, whole.inputs)}" for name in copied),
        ],
    )
    launcher = isolator.side(test.suite, triton, entry_point)
    launcher = _of_plain_tensors(launcher, test, isolator, entry_point)
    python = side(
        entry_point,
        takes,
        whole.reference,
        whole.expected,
        written,
        device,
        test.docstring,
        [
            *_unset(whole, whole.reference, whole.expected),
            *(f"{name} = {copied_value(name, whole.inputs)}" for name in buffers),
        ],
    )
    local = frozenset(names).union(*map(stored_names, whole.inputs))
    made = whole.inputs
    needed = replace(whole, inputs=still_needed(made, takes, local))
    inputs = make_inputs(
        needed.taking(takes), names, test.cases.dtypes, bound, _marks(whole, takes, graded)
    )
    modules = {
        "python_code": isolator.side(test.suite, python, entry_point),
        "test_code": isolator.inputs(test.suite, inputs, INPUTS),
        "triton_code": launcher,
    }
    texts = DraftTexts(
        _tidy(modules["python_code"].text),
        _settled(modules["triton_code"].text),
        _test_code(
            test,
            whole,
            entry_point,
            modules["test_code"],
            bool(graded),
            inputs,
            float8="float8" in launcher.text,
        ),
    )
    draft = OperationDraft(
        rule=rule,
        entry_point=entry_point,
        test=test.place,
        texts=texts,
        drawn_from=tuple(sorted({path for m in modules.values() for path in m.drawn_from})),
        differentiable=bool(graded),
        sentence=test.docstring,
        names=test.names,
    )
    fault = find_fault(draft, modules, f"{test.function.name} of {test.suite.path}")
    return Assembly(draft, *fault) if fault is not None else Assembly(draft)


def _of_plain_tensors(
    module: StandaloneModule, test: Test, isolator: Isolator, name: str
) -> StandaloneModule:
    """Remove the launcher's logging, its branches for distributed tensors, and the code that only
    these needed. Make it allocate on the machine's device.
    """
    text = remove_logging(module.text)
    try:
        text = replace_literal_devices(text)
    except UNREADABLE:
        return module
    if text == module.text:
        return module
    again = isolator.isolated(test.suite, text, name)
    if again.reasons:
        return module
    return replace(again, drawn_from=module.drawn_from)


def _marks(whole: Cut, takes: Sequence[str], graded: set[str]) -> list[str]:
    """Return lines that mark the inputs whose gradients are compared.

    Only these are marked, because some launchers refuse to compute the gradients of other inputs.
    """
    return [
        f"{name}.requires_grad_()"
        if name in find_floats(whole)
        else f"if isinstance({name}, torch.Tensor) and {name}.is_floating_point():\n"
        f"        {name}.requires_grad_()"
        for name in takes
        if name in graded
    ]


def _unset(whole: Cut, side: Sequence[ast.stmt], results: Sequence[ast.expr]) -> list[str]:
    """Return lines that set names to None if only some branches of a side bind them."""
    read = find_side_inputs(side, results)
    return [f"{name} = None" for name in whole.unset if name in read]


def _test_code(
    test: Test,
    whole: Cut,
    entry_point: str,
    module: StandaloneModule,
    differentiable: bool,
    inputs: str,
    *,
    float8: bool,
) -> str:
    used = re.findall(r"case\[[\"'](\w+)[\"']\]", inputs)
    try:
        return test_code(
            entry_point,
            seed_helpers(module.text),
            test.cases,
            inputs_dtype(whole),
            differentiable,
            used,
            test.allowed,
            float8,
            test.docstring,
        )
    except UNREADABLE:
        return module.text


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


def _settled(text: str) -> str:
    text = remove_foreign_options(text)
    return _tidy(replace_raises(join_masks(close_gaps(text))))


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n" if text.strip() else ""
